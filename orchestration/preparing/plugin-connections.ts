// Whether a net plugin has as many connections as the ranks need.
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import type { ProbedHost } from '../engines/engine.ts';

/** Up to here every rank of the cpu engine connects to every other; above, a device with fewer has the ring (native/engines/cpu/peer_set.h). */
const fullMeshRanks = 16;

/** Of one rank, each way: NCCL counts the two of a channel as one, and takes `maxComms` for channels. */
const connectionsOf = (ranks: number): number => (ranks <= fullMeshRanks ? ranks - 1 : 1);

/**
 * The ranks of one group connect to each other. Other engines load plugins themselves, and know their own needs.
 * @throws Refusal the plugin of a host has fewer (`maxComms`)
 */
export function requireConnections(
  plan: Pick<RunPlan, 'engine' | 'ranks' | 'groups'>,
  hosts: readonly ProbedHost[],
): void {
  if (plan.engine !== 'cpu') return;
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
