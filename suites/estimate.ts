import type { RunPlan } from '../results/schema/index.ts';
import { estimateAdaptiveS } from './sampler/budget.ts';
import { affordableEffort, estimateFixedS, type IsDue } from './sampling.ts';

/** Seconds a run is thought to take: all of it, or the cells that are due. */
export const estimateRunS = (plan: RunPlan, isDue?: IsDue): number =>
  plan.sampling.adaptive === undefined
    ? estimateFixedS(plan, affordableEffort(plan), isDue)
    : estimateAdaptiveS(plan, isDue);
