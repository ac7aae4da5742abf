import { planOfGroup } from '../results/derive/index.ts';
import { type PointPlan, type RunPlan, workloadOf, xOf } from '../results/schema/index.ts';
import { sizeFlag } from '../results/units.ts';
import { setSizes } from './set-sizes.ts';
import { workloadPlanning } from './workloads/index.ts';

/** Bytes of all buffers of all ranks at one point. */
export const pointBytes = (plan: RunPlan, point: PointPlan): number =>
  setSizes(plan)
    .map((ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }))
    .reduce((a, b) => a + b);

/** Bytes of the buffers of one rank at one point; the maximum over all sets. */
export const rankBytes = (plan: RunPlan, point: PointPlan): number =>
  Math.max(
    ...setSizes(plan).map(
      (ranks) => workloadPlanning(point).bufferBytes({ axes: point.axes, ranks }) / ranks,
    ),
  );

/** Size of a point as `--max` counts it, bytes. */
export const sizeOf = ({ workload, axes, requestedX }: PointPlan): number =>
  requestedX ?? xOf(workloadOf(workload), axes)?.value ?? 0;

/** The largest lower value of --max for which all points fit. Null if no size fits or the command line lists its sizes. */
export function largestMax(plan: RunPlan, fits: (points: PointPlan[]) => boolean): string | null {
  if (plan.command.some((word) => word === '--sizes' || word.startsWith('--sizes='))) return null;
  const sizes = [...new Set(plan.points.map(sizeOf))].sort((a, b) => b - a).slice(1);
  const largest = sizes.find((size) => fits(plan.points.filter((point) => sizeOf(point) <= size)));
  return largest === undefined ? null : sizeFlag(largest);
}

/**
 * The largest set as a plan of its own. `sharing` is the maximum number of sets on one host, which share its cores and wires. A
 * plan without groups is returned unchanged.
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
