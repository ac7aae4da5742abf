// Number of launches that the points of a pass get. Only time decides, never the results of the launches.
import type { RunPlan } from '../../results/schema/index.ts';
import { type IsDue, overheadS, startS } from '../costs.ts';
import { hasFirstPass } from '../passes.ts';
import { type BudgetNeed, slotNeed } from './budget.ts';

/**
 * Share of a pass's time that starting launches and measuring their first blocks may take. Most time goes into launches, because
 * medians of launches differ by more than the samples of one launch leave uncertain.
 */
const startShare = 2 / 3;

/**
 * Number of launches for the points of a pass: as many as fit into 2/3 of its time, at most the plan's `maxLaunches`, and at least
 * the plan's `launches`, even if they do not fit.
 * @param launchS seconds of one launch over each transport: its start, and the first blocks of all points of the pass
 * @param passS seconds that the pass may take
 */
export function launchesInTime(
  { sampling }: Pick<RunPlan, 'sampling'>,
  launchS: number,
  passS: number,
): number {
  const { launches, adaptive } = sampling;
  const inTime = launchS > 0 ? Math.floor((startShare * passS) / launchS) : Number.POSITIVE_INFINITY;
  return Math.max(launches, Math.min(adaptive?.maxLaunches ?? launches, inTime));
}

/**
 * [pass] Number of launches of the points of each pass, computed from estimated times before anything is measured. All passes get
 * the same time.
 * @param passes indices of the points of each pass
 * @param isDue returns true for the points and transports to count
 * @param slowdown factor by which a busy machine lengthens all times; 1 = idle machine
 */
export function plannedLaunches(
  plan: RunPlan,
  passes: readonly (readonly number[])[],
  isDue: IsDue = () => true,
  slowdown = 1,
): number[] {
  const { budgetS = 0 } = plan.sampling.adaptive ?? {};
  const launchS = (points: readonly number[]): number => {
    const due = plan.transports.filter((_, transport) => points.some((point) => isDue(point, transport)));
    const firstS = points.reduce((sum, point) => sum + slotNeed(plan, point, isDue).firstS, 0);
    return slowdown * (due.length * startS(plan) + firstS);
  };
  const beforeS = overheadS(plan, slowdown) + (hasFirstPass(plan) ? launchS(passes.flat()) : 0);
  const passS = Math.max(0, budgetS - beforeS) / Math.max(1, passes.length);
  return passes.map((points) => launchesInTime(plan, launchS(points), passS));
}

/**
 * Estimated time that a point needs in the launches beyond those of the plan: one entry per such launch.
 * @param index index into plan.points
 * @param launches number of all launches of the point, those of the plan included
 * @param isDue returns true for the points and transports to count
 */
export function furtherNeeds(
  plan: RunPlan,
  index: number,
  launches: number,
  isDue: IsDue = () => true,
): BudgetNeed[] {
  const need = slotNeed(plan, index, isDue, launches);
  return Array.from({ length: Math.max(0, launches - plan.sampling.launches) }, () => need);
}
