import { planOfGroup } from '../results/derive/index.ts';
import type { PointPlan, RunPlan } from '../results/schema/index.ts';
import { setSizes } from './set-sizes.ts';
import { workloadPlanning } from './workloads/index.ts';

/** Bytes of all buffers of all ranks at one point. */
export const pointBytes = (plan: RunPlan, point: PointPlan): number =>
  setSizes(plan)
    .map((ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }))
    .reduce((a, b) => a + b);

/** Bytes of the buffers of one rank, where sets differ of the one that needs most. */
export const rankBytes = (plan: RunPlan, point: PointPlan): number =>
  Math.max(
    ...setSizes(plan).map(
      (ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }) / ranks,
    ),
  );

/**
 * The set that takes longest, as a plan of its own, and how many sets share its machines at most: they share cores and
 * wires, too. A plan without groups is that itself.
 */
export function costliestSet(plan: RunPlan): { plan: RunPlan; sharing: number } {
  const { groups } = plan;
  if (groups === undefined) return { plan, sharing: 1 };
  const largest = groups.members.reduce((a, b) => (b.ranks.length > a.ranks.length ? b : a));
  const sharing = Math.max(
    ...plan.hosts.map(
      ({ ranks }) =>
        groups.members.filter((group) => group.ranks.some((rank) => ranks.includes(rank))).length,
    ),
  );
  return { plan: planOfGroup(plan, largest), sharing };
}
