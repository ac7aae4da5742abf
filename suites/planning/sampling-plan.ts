// Chooses how a run samples: until the figures are precise, or with fixed counts.

import { groupOf, xValueOf } from '../../results/derive/cell-group.ts';
import { minSizesOfRange } from '../../results/derive/statistics/figure-interval.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { PointPlan, SamplingPlan } from '../../results/schema/index.ts';
import { planningEngines } from '../engines/index.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { usualBudgetS } from './budget-plan.ts';

/** Number of launches if sizes can use the variance between launches of other sizes. */
export const usualLaunches = 3;
/**
 * Number of launches if the sizes are too few for that. Assume a machine with two equally frequent states: four launches miss
 * one of them in 12 % of cases, five in 6 %.
 */
export const launchesAlone = 5;
/** Limits for added launches. The idle processes of other launches would disturb the measuring ones. */
const mostLaunches = 6;
const mostProcesses = 64;

/** Properties of a run that determine its sampling. */
export interface RankCounts {
  ranks: number;
  transports: number;
  hosts: number;
  hasGroups: boolean;
  /** Number of sizes in the size range with the fewest sizes. */
  sizes: number;
}

/**
 * The sampling of a run from its options.
 * @param seed used if the options have no seed
 */
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

/**
 * Maximum number of launches that adaptive sampling may reach. 0 = none beyond the plan: starting GPUs or remote ranks costs
 * more time than its information is worth.
 */
function affordableLaunches(
  { engine, inProcess }: PlanOptions,
  { ranks, transports, hosts }: RankCounts,
): number {
  const { affordsLaunches } = planningEngines[engine].pace;
  if (!affordsLaunches || hosts > 1 || inProcess) return 0;
  return Math.min(mostLaunches, Math.floor(mostProcesses / (ranks * transports)));
}

/** Number of sizes in the size range with the fewest sizes; 0 without points. */
export function minSizesPerRange(points: readonly PointPlan[]): number {
  const ranges = new Map<string, Set<number>>();
  for (const { workload, axes } of points) {
    // All other properties are the same at every point of a run, so constants are enough.
    const { key } = groupOf({
      ...{ workload, axes, requested: {}, ranks: 1, nodes: 1 },
      ...{ engine: 'cpu', transport: '', medium: 'hardware' },
    });
    ranges.set(key, (ranges.get(key) ?? new Set()).add(xValueOf({ workload, axes })));
  }
  return ranges.size === 0 ? 0 : Math.min(...[...ranges.values()].map((sizes) => sizes.size));
}

/** @throws Refusal if an option depends on the system load, but the load is not read */
export function requireLoadRead(
  options: PlanOptions,
  said: ParsedOptions<keyof PlanOptions | 'groups'>,
): void {
  if (options.sampleInterval !== null) return;
  const key = options.waitQuiet !== null ? 'waitQuiet' : options.retryFlagged ? 'retryFlagged' : null;
  if (key !== null)
    throw refuse('load-not-read', { where: said.where(key), other: said.where('sampleInterval') });
}

/** @throws Refusal if fixed counts and a precision or budget are both given */
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
