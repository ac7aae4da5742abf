import { type BlockRequest, type CellRecord, dataOf, type RunPlan } from '../../results/schema/index.ts';
import { AdaptiveSampler } from './adaptive.ts';
import { FixedSampler } from './fixed.ts';
import type { BlockSampler, CompletedCell } from './sampler.ts';

export { firstLaunchesS } from './blocks-in-time.ts';
export type { BlockSampler, CompletedCell } from './sampler.ts';

/**
 * Returns the sampler for the plan: adaptive if plan.sampling.adaptive is set, otherwise with fixed counts.
 * @param blocks blocks of schedule(), or only those that are still to be measured
 * @param slowdown factor by which a busy machine lengthens the work of this process; 1 = idle machine
 * @param beganS time at which the first launch begins to start, seconds since the start of the run; null = unknown
 */
export const samplerOf = (
  plan: RunPlan,
  blocks: readonly BlockRequest[],
  slowdown = 1,
  beganS: number | null = null,
): BlockSampler =>
  plan.sampling.adaptive === undefined
    ? new FixedSampler(plan, blocks)
    : new AdaptiveSampler(plan, blocks, slowdown, beganS);

/**
 * Adds the reason why sampling ended to each measured figure of a configuration. Unchanged if the configuration was not measured.
 */
export function withReasons(cell: CellRecord, stopped: CompletedCell['stopped']): CellRecord {
  if (cell.status !== 'ok') return cell;
  const { figures: rows } = dataOf(cell.workload);
  const figures = cell.figures.map((figure) => {
    const trial = rows.find(({ name }) => name === figure.name)?.trial ?? null;
    const reason = trial === null ? undefined : stopped[trial];
    return figure.kind === 'measured' && reason !== undefined ? { ...figure, stopped: reason } : figure;
  });
  return { ...cell, figures };
}
