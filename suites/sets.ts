import { planOfGroup } from '../results/derive/index.ts';
import { type PointPlan, type RunPlan, setSizes, workloadOf, xOf } from '../results/schema/index.ts';
import { sizeFlag } from '../results/units.ts';
import { workloadPlanning } from './workloads/index.ts';

/**
 * Bytes of all buffers (send, receive and others) that the ranks of all groups together hold to measure one point. A point is
 * one set of axis values, such as one message size.
 */
export const pointBytes = (plan: RunPlan, point: PointPlan): number =>
  setSizes(plan)
    .map((ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }))
    .reduce((a, b) => a + b);

/** Bytes of all buffers of one rank while one message size is measured; the maximum over all groups of ranks. */
export const rankBytes = (plan: RunPlan, point: PointPlan): number =>
  Math.max(
    ...setSizes(plan).map(
      (ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }) / ranks,
    ),
  );

/**
 * Message size of a point in bytes, as requested: before it is rounded to whole elements. Option --max limits this number.
 * For workloads with another x, such as a grid, it is that x; 0 without one.
 */
export const sizeOf = ({ workload, axes, requestedX }: PointPlan): number =>
  requestedX ?? xOf(workloadOf(workload), axes)?.value ?? 0;

/**
 * The largest value of --max, lower than the present one, for which the plan fits. Null if no size fits or the command line
 * lists its sizes.
 * @param fits returns true if a plan with these points fits
 */
export function largestMax(plan: RunPlan, fits: (points: PointPlan[]) => boolean): string | null {
  if (plan.command.some((word) => word === '--sizes' || word.startsWith('--sizes='))) return null;
  const sizes = [...new Set(plan.points.map(sizeOf))].sort((a, b) => b - a).slice(1);
  const largest = sizes.find((size) => fits(plan.points.filter((point) => sizeOf(point) <= size)));
  return largest === undefined ? null : sizeFlag(largest);
}

/**
 * The largest group of a plan as a plan of its own; a plan without groups is returned unchanged. `sharing` is the maximum
 * number of groups on one host, which share its cores and network links.
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
