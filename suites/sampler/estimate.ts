// Estimated seconds of a run, and of its shortest form, before anything is measured.
import type { RunPlan } from '../../results/schema/index.ts';
import { affordableEffort, estimateFixedS, type IsDue, launchesS, overheadS, startsS } from '../costs.ts';
import { pointPasses } from '../passes.ts';
import {
  asEstimated,
  expectedS,
  expectedUse,
  firstBlocksS,
  initialPace,
  pointNeed,
  slotNeed,
} from './budget.ts';
import { furtherNeeds, plannedLaunches } from './pass-launches.ts';

/**
 * Half width of a 95 % interval, as a share, that the launches and first blocks of a plan usually reach (`npm run
 * bench:precision`). For a coarser --precision these samples nearly suffice. The number of samples needed grows with the inverse
 * square of the precision.
 */
const usualPrecision = 0.05;
export const shareNeeded = (precision: number): number => Math.min(1, (usualPrecision / precision) ** 2);

/**
 * Estimated seconds of a run that measures only the first block per timing mode, in all launches of the plan; start and end of the
 * run are included.
 */
export function estimateLaunchesS(plan: RunPlan): number {
  const needs = [...plan.points.keys()].map((point) => pointNeed(plan, point));
  return overheadS(plan) + launchesS(plan) + firstBlocksS(needs, asEstimated);
}

/**
 * Estimated seconds of a run with adaptive sampling, before it starts. At most the budget, unless even the shortest possible run
 * takes longer.
 * @param isDue returns true for the points and transports to count
 * @param slowdown factor by which a busy machine lengthens all times except `preparingS`; 1 = idle machine
 * @param preparingS measured seconds to start the agents and inspect the hosts; absent = the usual time times `slowdown`
 */
function estimateAdaptiveS(
  plan: RunPlan,
  isDue: IsDue = () => true,
  slowdown = 1,
  preparingS?: number,
): number {
  const { precision, budgetS } = plan.sampling.adaptive ?? { precision: usualPrecision, budgetS: 0 };
  const needed = shareNeeded(precision);
  const passes = pointPasses(plan);
  const launches = plannedLaunches(plan, passes, isDue, slowdown);
  const needs = passes.flatMap((points, pass) =>
    points.flatMap((point) => {
      const all = launches[pass];
      const further = furtherNeeds(plan, point, all ?? 0, isDue).map((need) => ({
        ...need,
        firstS: needed * need.firstS,
        moreS: needed * need.moreS,
      }));
      return [pointNeed(plan, point, isDue, all), ...further];
    }),
  );
  // Each pass starts its own further launches.
  const furtherStartsS = passes.reduce((sum, points, pass) => {
    const isOfPass: IsDue = (point, transport) => points.includes(point) && isDue(point, transport);
    return sum + startsS(plan, (launches[pass] ?? 0) - plan.sampling.launches, isOfPass);
  }, 0);
  const startS = launchesS(plan, isDue) + needed * furtherStartsS;
  const otherS = overheadS(plan, slowdown, preparingS) + slowdown * startS;
  const pace = { ...asEstimated, times: slowdown };
  const wholeS = otherS + expectedS(needs, budgetS - otherS, pace, needed * expectedUse);
  return Math.min(wholeS, Math.max(budgetS, Math.sqrt(slowdown) * estimateMinS(plan, isDue)));
}

/**
 * Estimated seconds of the shortest possible run, its start and end included: each point in one launch, with one block per timing
 * mode and transport.
 * @param isDue returns true for the points and transports to count; absent = all
 */
export function estimateMinS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => slotNeed(plan, point, isDue));
  const startsS = launchesS(plan, isDue) / plan.sampling.launches;
  return overheadS(plan) + startsS + firstBlocksS(needs, asEstimated);
}

/**
 * Expected seconds to start all launches and measure their first blocks. Blocks count with 60 % of their estimates, because the
 * estimates are usually too high.
 * @param isDue returns true for the points and transports to count; absent = all
 */
function estimateFirstBlocksS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => pointNeed(plan, point, isDue));
  return launchesS(plan, isDue) + firstBlocksS(needs, initialPace);
}

/**
 * Estimated seconds of a run, its start and end included.
 * @param isDue returns true for the points and transports to count; absent = all
 * @param slowdown factor by which a busy machine lengthens all times except `preparingS`; 1 = idle machine
 * @param preparingS measured seconds to start the agents and inspect the hosts; absent = the usual time times `slowdown`
 */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue, slowdown = 1, preparingS?: number): number =>
  plan.sampling.adaptive === undefined
    ? overheadS(plan, slowdown, preparingS) + slowdown * estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateAdaptiveS(plan, isDue, slowdown, preparingS);

/**
 * Estimated seconds of the samples that every run takes, with the starts of launches. With adaptive sampling these are only the
 * first blocks of each configuration and launch; with fixed counts they are all samples.
 * @param isDue returns true for the points and transports to count; absent = all
 */
export const estimateFirstS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateFirstBlocksS(plan, isDue);
