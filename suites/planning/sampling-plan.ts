// Chooses how a run samples: until the figures are precise enough, or with fixed counts.

import { groupOf, xValueOf } from '../../results/derive/cells/cell-group.ts';
import { minSizesOfRange } from '../../results/derive/statistics/figure-interval.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { PointPlan, SamplingPlan } from '../../results/schema/index.ts';
import { planningEngines } from '../engines/index.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { shareNeeded } from '../sampler/estimate.ts';
import { usualBudgetS } from './budget-plan.ts';

/** Default number of launches if enough other message sizes of the same size range show how much launches differ. */
export const usualLaunches = 3;
/**
 * Default number of launches if a size range has too few sizes to show how much launches differ. Example: if a machine has two
 * equally frequent states, four launches miss one state in 12 % of cases, five in 6 %.
 */
export const launchesAlone = 5;
/**
 * Maximum number of launches per configuration if the user set --budget: adaptive sampling adds launches up to it. With 32 instead
 * of 6 launches, intervals are half as wide in the same time (docs/truth.md).
 */
export const maxAddedLaunches = 32;
/**
 * Maximum number of launches per configuration without --budget. Such a run ends when all launches are measured, so a low number
 * keeps a command of few sizes short.
 */
export const usualAddedLaunches = 12;
/** Lower limit of the maximum number of launches if a coarse --precision needs few launches. */
const maxLaunchesOfCoarse = 6;
/**
 * Maximum number of rank processes of a launch, over all transports together, with which launches are added to the plan. With more
 * processes each start takes too long.
 */
const maxProcesses = 32;

/** Numbers of ranks, transports, hosts and message sizes of a run, from which its numbers of launches and samples are chosen. */
export interface RankCounts {
  ranks: number;
  transports: number;
  hosts: number;
  hasGroups: boolean;
  /** Number of sizes in the size range that has the lowest number of sizes. */
  sizes: number;
}

/**
 * Makes the sampling part of a plan from the command-line options: number of launches, samples and time budget.
 * @param counts numbers of ranks, transports, hosts and sizes of the run
 * @param seed seed of the random order of blocks, and of the data
 */
export function samplingOf(options: PlanOptions, counts: RankCounts, seed: number): SamplingPlan {
  const launches = options.launches ?? (counts.sizes < minSizesOfRange ? launchesAlone : usualLaunches);
  const budgetS = options.budget ?? usualBudgetS;
  const isAdaptive = options.iters === null && options.precision !== null && !counts.hasGroups;
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
            maxLaunches: options.launches ?? Math.max(launches, affordableLaunches(options, counts)),
          },
        }
      : {}),
  };
}

/**
 * Maximum number of launches per transport with adaptive sampling. 0 = no launches beyond those of the plan, because starting GPU
 * processes, remote ranks or many ranks costs more time than another launch is worth, or ranks are threads of this process.
 */
function affordableLaunches(
  { engine, inProcess, precision, budget }: PlanOptions,
  { ranks, transports, hosts }: RankCounts,
): number {
  const { affordsLaunches } = planningEngines[engine].pace;
  if (!affordsLaunches || hosts > 1 || inProcess || ranks * transports > maxProcesses) return 0;
  const most = budget === null ? usualAddedLaunches : maxAddedLaunches;
  return Math.max(maxLaunchesOfCoarse, Math.round(most * shareNeeded(precision ?? 0)));
}

/** Number of sizes in the size range that has the lowest number of sizes; 0 if there are no points. */
export function minSizesPerRange(points: readonly PointPlan[]): number {
  const ranges = new Map<string, Set<number>>();
  for (const { workload, axes } of points) {
    // Only workload and axes differ between the points of a run, so the other properties can be constants.
    const { key } = groupOf({
      ...{ workload, axes, requested: {}, ranks: 1, nodes: 1 },
      ...{ engine: 'cpu', transport: '', medium: 'hardware' },
    });
    ranges.set(key, (ranges.get(key) ?? new Set()).add(xValueOf({ workload, axes })));
  }
  return ranges.size === 0 ? 0 : Math.min(...[...ranges.values()].map((sizes) => sizes.size));
}

/** Checks that the system load is read if an option needs it (--wait-quiet, --retry-flagged). @throws Refusal if reading is off */
export function requireLoadRead(
  options: PlanOptions,
  parsed: ParsedOptions<keyof PlanOptions | 'groups'>,
): void {
  if (options.sampleInterval !== null) return;
  const key = options.waitQuiet !== null ? 'waitQuiet' : options.retryFlagged ? 'retryFlagged' : null;
  if (key !== null)
    throw refuse('load-not-read', { where: parsed.where(key), other: parsed.where('sampleInterval') });
}

/**
 * Checks that the options ask for only one kind of sampling.
 * @throws Refusal if the user combines --precision or --budget with --iters or --groups, or --budget with --precision off
 */
export function requireOneSampling(
  { precision }: PlanOptions,
  parsed: ParsedOptions<keyof PlanOptions | 'groups'>,
): void {
  const option = parsed.has('precision') && precision !== null ? 'precision' : 'budget';
  const asked = parsed.get(option);
  if (asked === undefined) return;
  const { where: one, text } = asked;
  if (parsed.has('iters')) throw refuse('samples-twice', { one, other: parsed.where('iters'), text });
  if (parsed.has('groups')) throw refuse('precision-of-groups', { where: one, text });
  if (precision === null) {
    throw refuse('budget-without-precision', { one, other: parsed.where('precision'), text });
  }
}
