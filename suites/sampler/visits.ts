// The order of adaptive sampling: laps of points, in them launch by launch, point by point.
import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import type { IsDue } from '../costs.ts';
import { furtherNeeds, type Need, visitNeed } from './budget.ts';

/** One point in one launch of each transport. */
export interface Visit {
  point: number;
  launch: number;
  /** Those it begins with; none where the launch goes on with what it has. */
  blocks: BlockRequest[];
  need: Need;
}

export interface Lap {
  /** Still to come. */
  visits: Visit[];
  /** Needs of visits in launches beyond those of the plan, for which there may be time. */
  further: Need[];
}

/**
 * @param laps   points of each
 * @param blocks timed ones in the order of measuring, and others, which are passed over
 */
export function lapsOfBlocks(
  plan: RunPlan,
  laps: readonly (readonly number[])[],
  blocks: readonly BlockRequest[],
): Lap[] {
  const lapOf = new Map(laps.flatMap((points, lap) => points.map((point) => [point, lap] as const)));
  const due = new Set(blocks.map(({ point, transport }) => `${point} ${transport}`));
  const isDue: IsDue = (point, transport) => due.has(`${point} ${transport}`);
  const found = new Map<number, Visit[]>();
  for (const block of blocks) {
    if (block.trial === 'attest') continue;
    const { point, launch } = block;
    const lap = lapOf.get(point) ?? 0;
    const visits = found.get(lap) ?? [];
    found.set(lap, visits);
    const last = visits.at(-1);
    const own = { ...block, completesCell: false };
    if (last?.point === point && last.launch === launch) last.blocks.push(own);
    else visits.push({ point, launch, blocks: [own], need: visitNeed(plan, point, isDue) });
  }
  // The blocks may be of a plan with another budget, and so of other laps.
  for (const visits of found.values()) visits.sort((a, b) => a.launch - b.launch || a.point - b.point);
  return [...found.values()].map((visits) => ({
    visits,
    further: pointsOf(visits).flatMap((point) => furtherNeeds(plan, point, isDue)),
  }));
}

export const pointsOf = (visits: readonly Visit[]): number[] => [
  ...new Set(visits.map(({ point }) => point)),
];
