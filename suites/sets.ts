import { planOfGroup } from '../results/derive/index.ts';
import { type PointPlan, type RunPlan, setSizes, workloadOf, xOf } from '../results/schema/index.ts';
import { sizeFlag } from '../results/units.ts';
import { workloadPlanning } from './workloads/index.ts';

/**
 * Bytes of all buffers (send, receive and others) that the ranks of all groups together hold to measure one point (one value per
 * axis, such as one message size).
 */
export const pointBytes = (plan: RunPlan, point: PointPlan): number =>
  setSizes(plan)
    .map((ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }))
    .reduce((a, b) => a + b);

/** Bytes of all buffers of one rank (mean over the ranks of a group) while one point is measured; the maximum over all groups. */
export const rankBytes = (plan: RunPlan, point: PointPlan): number =>
  Math.max(
    ...setSizes(plan).map(
      (ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }) / ranks,
    ),
  );

/**
 * Requested message size of a point in bytes, before rounding to whole elements. Option --max limits this number. For a workload
 * whose x is another quantity, such as the edge of a grid, it is that number; 0 if the workload has no x.
 */
export const sizeOf = ({ workload, axes, requestedX }: PointPlan): number =>
  requestedX ?? xOf(workloadOf(workload), axes)?.value ?? 0;

/**
 * Highest value of --max, as text ("64M"), with which the plan fits; it is one of the plan's sizes, below the largest. Null if no
 * smaller size fits, or if the command line lists its sizes (--sizes).
 * @param fits returns true if a plan with these points fits
 */
export function largestMax(plan: RunPlan, fits: (points: PointPlan[]) => boolean): string | null {
  if (plan.command.some((word) => word === '--sizes' || word.startsWith('--sizes='))) return null;
  const sizes = [...new Set(plan.points.map(sizeOf))].sort((a, b) => b - a).slice(1);
  const largest = sizes.find((size) => fits(plan.points.filter((point) => sizeOf(point) <= size)));
  return largest === undefined ? null : sizeFlag(largest);
}

/**
 * A plan with only the largest group of ranks; a plan without groups is returned unchanged. `sharing` is the number of groups that
 * share the cores and network links of a host, on the host with the most; 1 without groups.
 */
export function longestSet(plan: RunPlan): { plan: RunPlan; sharing: number } {
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
