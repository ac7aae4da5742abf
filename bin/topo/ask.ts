import { defaultDeadlines } from '../../orchestration/deadlines.ts';
import { examineHosts } from '../../orchestration/examination.ts';
import { nodesOf, remoteDeadlines } from '../../orchestration/preparing/nodes.ts';
import { machineOf } from '../../results/machine/index.ts';
import { type Topology, topologyOf } from '../../results/topology/index.ts';
import type { Options } from '../options/index.ts';

export interface Asked {
  topologies: Topology[];
  /** Hosts that could not be asked, and why. */
  unreached: string[];
}

/** What the kernels of this machine or of the named hosts show. @throws CommandError hosts that cannot be read */
export async function askMachines(options: Options): Promise<Asked> {
  const nodes = await nodesOf(options);
  const isLocal = nodes.hosts.length === 0;
  try {
    const examined = await examineHosts(
      {
        hosts: isLocal
          ? [{ name: 'localhost', iface: null }]
          : nodes.hosts.map(({ name }) => ({ name, iface: null })),
        plugins: [],
        hashes: false,
        knocks: false,
        probes: () => [],
      },
      nodes.agentPath,
      nodes.launcher,
      isLocal ? defaultDeadlines : remoteDeadlines,
    );
    const topologies: Topology[] = [];
    const unreached: string[] = [];
    for (const { name, facts, unreached: why } of examined.hosts) {
      const machine = facts === null ? null : machineOf(facts);
      const host = isLocal ? (machine?.system.hostname ?? name) : name;
      if (machine === null) unreached.push(`${host}: ${why ?? 'it said nothing'}`);
      else topologies.push(topologyOf(machine, host));
    }
    return { topologies, unreached };
  } finally {
    await nodes.close();
  }
}
