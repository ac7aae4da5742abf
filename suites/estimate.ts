import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimateFixedS, type IsDue, overheadS } from './costs.ts';
import { estimateAdaptiveS, estimateFirstBlocksS } from './sampler/budget.ts';

/**
 * Seconds a run is thought to take: all of it, or the cells that are due.
 * @param slowdown how many times as long everything takes, because the machine is busy
 */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue, slowdown = 1): number =>
  plan.sampling.adaptive === undefined
    ? slowdown * (overheadS(plan) + estimateFixedS(plan, affordableEffort(plan), isDue))
    : estimateAdaptiveS(plan, isDue, slowdown);

/** Seconds that what is measured in any case takes: the first blocks, or all of fixed counts. */
export const estimateFirstS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateFirstBlocksS(plan, isDue);
