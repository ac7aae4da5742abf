// Facts about the machines of a command.
import { type MachineReport, machineOf } from '../../results/machine/index.ts';
import { type Topology, topologyOf } from '../../results/topology/index.ts';
import { defaultDeadlines } from '../deadlines.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { examineHosts, type HostCheckRequest, type HostCheckResult, type HostReport } from '../host-check.ts';
import { nodesOf, remoteDeadlines } from '../preparing/host-pool.ts';

export interface CheckedHost extends Omit<HostReport, 'facts'> {
  machine: MachineReport | null;
  /** Network interface that was given for this host only; null = none, so the value of --interface holds. */
  interface: string | null;
}

/**
 * Examines this machine, or the named hosts. A host that fails is in the result, with the reason in `unreached`. All connections
 * are closed afterwards.
 * @param request what to look at; the hosts are added from the options
 * @throws Refusal if hosts cannot be parsed, or there is no agent to start
 */
export async function examineMachines(
  options: MeasureOptions,
  request: Omit<HostCheckRequest, 'hosts'>,
): Promise<Omit<HostCheckResult, 'hosts'> & { hosts: CheckedHost[] }> {
  const nodes = await nodesOf(options);
  const isLocal = nodes.hosts.length === 0;
  const usual = options.interface;
  const hosts = isLocal
    ? [{ name: 'localhost', iface: usual }]
    : nodes.hosts.map(({ name, iface }) => ({ name, iface: iface ?? usual }));
  const deadlines = isLocal ? defaultDeadlines : remoteDeadlines;
  try {
    const found = await examineHosts({ ...request, hosts }, nodes.agentPath, nodes.launcher, deadlines);
    const seen = found.hosts.map(({ facts, ...host }): CheckedHost => {
      const machine = facts === null ? null : machineOf(facts);
      const name = isLocal ? (machine?.system.hostname ?? host.name) : host.name;
      const own = nodes.hosts.find((one) => one.name === name)?.iface ?? null;
      return { ...host, name, machine, interface: own };
    });
    return { ...found, hosts: seen };
  } finally {
    await nodes.close();
  }
}

export interface HostTopologies {
  topologies: Topology[];
  /** Names of hosts that reported no topology, each with the reason: "gpu01: REASON". */
  unreached: string[];
}

/**
 * Reads the topology (PCIe tree, GPUs, network ports) of this machine, or of each named host. A host that fails is in `unreached`.
 * @throws Refusal if hosts cannot be parsed
 */
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
