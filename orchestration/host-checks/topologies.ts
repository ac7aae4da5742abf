import { type Topology, topologyOf } from '../../results/topology/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { examineMachines } from './machines.ts';

export interface HostTopologies {
  topologies: Topology[];
  /** Names of hosts that reported no topology, each with the reason. */
  unreached: string[];
}

/** Topologies (PCIe tree, GPUs, network ports) of this machine or the named hosts. @throws Refusal if hosts cannot be parsed */
export async function readHostTopologies(options: MeasureOptions): Promise<HostTopologies> {
  const request = { plugins: [], hashes: false, connects: false, probes: () => [] };
  const { hosts } = await examineMachines({ ...options, interface: null }, request);
  return {
    topologies: hosts.flatMap(({ machine, name }) => (machine === null ? [] : [topologyOf(machine, name)])),
    unreached: hosts.flatMap(({ machine, name, unreached }) =>
      machine === null ? [`${name}: ${unreached ?? 'it said nothing'}`] : [],
    ),
  };
}
