import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimateFixedS, type IsDue, overheadS } from './costs.ts';
import { estimateAdaptiveS, estimateFirstBlocksS } from './sampler/budget.ts';

/**
 * Seconds a run is thought to take: all of it, or the cells that are due.
 * @param slowdown how many times as long everything takes, because the machine is busy
 * @param preparingS measured seconds of starting the agents and reading the machines
 */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue, slowdown = 1, preparingS?: number): number =>
  plan.sampling.adaptive === undefined
    ? overheadS(plan, slowdown, preparingS) + slowdown * estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateAdaptiveS(plan, isDue, slowdown, preparingS);

/** Seconds that what is measured in any case takes: the first blocks, or all of fixed counts. */
export const estimateFirstS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateFirstBlocksS(plan, isDue);
