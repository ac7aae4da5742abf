import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimateFixedS, type IsDue, overheadS } from './costs.ts';
import { estimateAdaptiveS, estimateFirstBlocksS } from './sampler/budget.ts';

/**
 * Estimated seconds of a run.
 * @param isDue returns true for the points and transports to count; absent = all
 * @param slowdown factor by which a busy machine lengthens all times; 1 = idle machine
 * @param preparingS measured seconds to start the agents and inspect the hosts
 */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue, slowdown = 1, preparingS?: number): number =>
  plan.sampling.adaptive === undefined
    ? overheadS(plan, slowdown, preparingS) + slowdown * estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateAdaptiveS(plan, isDue, slowdown, preparingS);

/**
 * Estimated seconds of the samples that every run takes, with the starts of launches. With adaptive sampling these are only the
 * first blocks of each configuration and launch; with fixed counts they are all samples.
 */
export const estimateFirstS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateFirstBlocksS(plan, isDue);
