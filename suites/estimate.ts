import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimateFixedS, type IsDue, overheadS } from './costs.ts';
import { estimateAdaptiveS, estimateFirstBlocksS } from './sampler/budget.ts';

/**
 * Estimated seconds of a run, or of its cells that are due.
 * @param slowdown factor on all times, because the machine is busy
 * @param preparingS measured seconds to start the agents and inspect the hosts
 */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue, slowdown = 1, preparingS?: number): number =>
  plan.sampling.adaptive === undefined
    ? overheadS(plan, slowdown, preparingS) + slowdown * estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateAdaptiveS(plan, isDue, slowdown, preparingS);

/**
 * Estimated seconds of the blocks that every run measures: the first blocks of adaptive sampling, or all blocks of fixed
 * counts.
 */
export const estimateFirstS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateFirstBlocksS(plan, isDue);
