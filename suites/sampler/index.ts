import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { AdaptiveSampler } from './adaptive.ts';
import { FixedSampler } from './fixed.ts';
import type { BlockSampler } from './sampler.ts';

export { withReasons } from './reasons.ts';
export type { BlockSampler, CompletedCell } from './sampler.ts';

/**
 * @param blocks blocks of schedule(), or those of them that are still to measure
 * @param slowdown factor on the time that this process needs, because its machine is busy
 */
export const samplerOf = (plan: RunPlan, blocks: readonly BlockRequest[], slowdown = 1): BlockSampler =>
  plan.sampling.adaptive === undefined
    ? new FixedSampler(plan, blocks)
    : new AdaptiveSampler(plan, blocks, slowdown);
