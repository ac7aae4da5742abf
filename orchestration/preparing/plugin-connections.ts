// Checks that a net plugin supports as many connections as the ranks need.
import { refuse } from '../../results/refusals/refusal.ts';
import { engineRow, type RunPlan } from '../../results/schema/index.ts';
import type { ProbedHost } from '../engines/engine.ts';

/**
 * Number of ranks up to which the cpu engine connects every rank to every other. With more ranks, devices that support too few
 * connections use a ring (native/engines/cpu/peer_set.h).
 */
const fullMeshRanks = 16;

/**
 * Returns the minimum number of connections that one of `ranks` ranks needs in each direction. A plugin's limit `maxComms` counts
 * a connection in both directions as one, as NCCL does with its channels.
 */
const connectionsOf = (ranks: number): number => (ranks <= fullMeshRanks ? ranks - 1 : 1);

/**
 * Checks that the net plugins of all hosts support enough connections; with groups, ranks connect only within their
 * group. Plugins that report no limit are accepted. Only the cpu engine is checked, because other engines load plugins
 * themselves.
 * @throws Refusal if a host's plugin supports fewer connections (`maxComms`)
 */
export function requireConnections(
  plan: Pick<RunPlan, 'engine' | 'ranks' | 'groups'>,
  hosts: readonly ProbedHost[],
): void {
  if (engineRow(plan).isEmbedded !== true) return;
  const ranks =
    plan.groups === undefined ? plan.ranks : Math.max(...plan.groups.members.map((one) => one.ranks.length));
  for (const { name: host, result } of hosts) {
    for (const { name: plugin, facts = {} } of result.probed) {
      const most = Number(facts['plugin.max-comms'] ?? 0);
      const needed = connectionsOf(ranks);
      if (most === 0 || needed <= most) continue;
      const fewer = most + 1;
      const device = facts['plugin.device'] ?? '';
      throw refuse('plugin-connections', { plugin, host, device, ranks, needed, most, fewer });
    }
  }
}
