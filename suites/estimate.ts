import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimateFixedS, type IsDue, overheadS } from './costs.ts';
import { estimateAdaptiveS, estimateFirstBlocksS } from './sampler/budget.ts';

/**
 * Estimated seconds of a run.
 * @param isDue selects the cells to count; absent = all cells
 * @param slowdown factor by which a busy machine lengthens all times; 1 = idle machine
 * @param preparingS measured seconds to start the agents and inspect the hosts
 */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue, slowdown = 1, preparingS?: number): number =>
  plan.sampling.adaptive === undefined
    ? overheadS(plan, slowdown, preparingS) + slowdown * estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateAdaptiveS(plan, isDue, slowdown, preparingS);

/**
 * Estimated seconds of the blocks that every run measures. With adaptive sampling these are only the first blocks of each cell
 * and launch; with fixed counts they are all blocks.
 */
export const estimateFirstS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateFirstBlocksS(plan, isDue);
