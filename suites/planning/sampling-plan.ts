// How a run samples, from the options: until the figures are precise, or as many as were asked for.

import { groupOf, xValueOf } from '../../results/derive/cell-group.ts';
import { minSizesOfRange } from '../../results/derive/statistics/figure-interval.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { PointPlan, SamplingPlan } from '../../results/schema/index.ts';
import { planningEngines } from '../engines/index.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { usualBudgetS } from './budget-plan.ts';

/** Launches where every size learns from others how launches differ. */
export const usualLaunches = 3;
/**
 * Launches of a size that learns from no others. Where a machine has two equally frequent states, four launches see only one
 * of them in 12 % of cases, five in 6 %.
 */
export const launchesAlone = 5;
/** Their processes wait beside those that measure: more would be felt. */
const mostLaunches = 6;
const mostProcesses = 64;

/** What of a run decides about its sampling. */
export interface RankCounts {
  ranks: number;
  transports: number;
  hosts: number;
  hasGroups: boolean;
  /** Sizes of the size range that has fewest. */
  sizes: number;
}

/** @param seed drawn, where none was asked for */
export function samplingOf(options: PlanOptions, crew: RankCounts, seed: number): SamplingPlan {
  const launches = options.launches ?? (crew.sizes < minSizesOfRange ? launchesAlone : usualLaunches);
  const budgetS = options.budget ?? usualBudgetS;
  const isAdaptive = options.iters === null && options.precision !== null && !crew.hasGroups;
  return {
    launches,
    ...(launches > 1 ? { apart: true } : {}),
    warmup: options.warmup,
    iterations: options.iters,
    batch: options.batch,
    check: options.check,
    timeoutS: options.timeout,
    seed,
    ...(options.waitQuiet === null ? {} : { waitQuietS: options.waitQuiet }),
    ...(options.retryFlagged ? { retryFlagged: true } : {}),
    ...(planningEngines[options.engine].attests(options) ? { attest: true } : {}),
    ...(isAdaptive
      ? {
          adaptive: {
            precision: options.precision as number,
            budgetS,
            ...(options.budget === null ? {} : { isLimit: true }),
            maxLaunches: options.launches ?? Math.max(launches, affordableLaunches(options, crew)),
          },
        }
      : {}),
  };
}

/** A start of GPUs, or of ranks on other machines, costs more than it tells: there are none beyond those of the plan. */
function affordableLaunches(
  { engine, inProcess }: PlanOptions,
  { ranks, transports, hosts }: RankCounts,
): number {
  const { affordsLaunches } = planningEngines[engine].pace;
  if (!affordsLaunches || hosts > 1 || inProcess) return 0;
  return Math.min(mostLaunches, Math.floor(mostProcesses / (ranks * transports)));
}

/** Sizes of the size range that has fewest; 0 without points. */
export function minSizesPerRange(points: readonly PointPlan[]): number {
  const ranges = new Map<string, Set<number>>();
  for (const { workload, axes } of points) {
    // All else is the same at every point of a run.
    const { key } = groupOf({
      ...{ workload, axes, requested: {}, ranks: 1, nodes: 1 },
      ...{ engine: 'cpu', transport: '', medium: 'hardware' },
    });
    ranges.set(key, (ranges.get(key) ?? new Set()).add(xValueOf({ workload, axes })));
  }
  return ranges.size === 0 ? 0 : Math.min(...[...ranges.values()].map((sizes) => sizes.size));
}

/** @throws Refusal what depends on the system load was asked for, and it is not read */
export function requireLoadRead(
  options: PlanOptions,
  said: ParsedOptions<keyof PlanOptions | 'groups'>,
): void {
  if (options.sampleInterval !== null) return;
  const key = options.waitQuiet !== null ? 'waitQuiet' : options.retryFlagged ? 'retryFlagged' : null;
  if (key !== null)
    throw refuse('load-not-read', { where: said.where(key), other: said.where('sampleInterval') });
}

/** @throws Refusal fixed counts and a precision were both asked for */
export function requireOneSampling(
  { precision }: PlanOptions,
  said: ParsedOptions<keyof PlanOptions | 'groups'>,
): void {
  const option = said.has('precision') && precision !== null ? 'precision' : 'budget';
  const asked = said.get(option);
  if (asked === undefined) return;
  const { where: one, text } = asked;
  if (said.has('iters')) throw refuse('samples-twice', { one, other: said.where('iters'), text });
  if (said.has('groups')) throw refuse('precision-of-groups', { where: one, text });
  if (precision === null) {
    throw refuse('budget-without-precision', { one, other: said.where('precision'), text });
  }
}
