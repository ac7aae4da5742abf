import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { AdaptiveSampler } from './adaptive.ts';
import { FixedSampler } from './fixed.ts';
import type { BlockSampler } from './sampler.ts';

export { withReasons } from './reasons.ts';
export type { BlockSampler, CompletedCell } from './sampler.ts';

/**
 * @param blocks of schedule(): all, or what is left of them
 * @param slowdown how many times as long the work of this process takes, because its machine is busy
 */
export const samplerOf = (plan: RunPlan, blocks: readonly BlockRequest[], slowdown = 1): BlockSampler =>
  plan.sampling.adaptive === undefined
    ? new FixedSampler(plan, blocks)
    : new AdaptiveSampler(plan, blocks, slowdown);
