// Estimates how much whole runs of an unchanged program differ: from earlier runs of the same cells, otherwise assumed by
// transport.
import { mean, median } from 'simple-statistics';
import { openReasonOf } from '../derive/launches/launches.ts';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { meanPerLaunch, varianceOf } from '../judge/difference.ts';
import { defaultRunScatter, runScatter } from '../judge/nights.ts';
import {
  type BetweenRuns,
  type CellRecord,
  type MeasuredFigure,
  measuredOf,
  type OkCell,
} from '../schema/index.ts';
import type { OkPair } from './load.ts';
import type { CompareOptions } from './options.ts';
import type { ComparableRun } from './run.ts';

/** Lowest number of earlier runs from which the variance between runs of an unchanged program is estimated. */
export const minRuns = 3;
/**
 * Lowest number of runs with which a single run far from the others is limited: its mean log time is then moved to `farthest`
 * robust standard deviations from the median.
 */
const minRunsRobust = 6;
const farthest = 5;

/**
 * Mean log time of one run over its launches and sizes, relative to the mean over all earlier runs. `launchVariance`: variance of
 * this mean that comes from differences between launches.
 */
interface RunLevel {
  log: number;
  launchVariance: number;
}

/** Variation of the mean time between whole runs of the same program. */
export interface RunScatter extends BetweenRuns {
  /** Part of the variance between runs that differences between their launches explain; 0 if the variance was assumed. */
  launchVariance: number;
}

/**
 * Returns the variance of the runs' mean log times. With six runs or more a single outlier is moved closer to the others. Two
 * outliers show that the machine has a second state, so they are not moved.
 * @param logs mean log time of each run, at least two
 */
export function levelVariance(logs: readonly number[]): VariancePrior {
  const centre = median([...logs]);
  const limit = farthest * 1.4826 * median(logs.map((log) => Math.abs(log - centre)));
  const far = logs.filter((log) => Math.abs(log - centre) > limit);
  const isOneFar = logs.length >= minRunsRobust && far.length === 1;
  const kept = isOneFar ? logs.map((log) => Math.min(Math.max(log, centre - limit), centre + limit)) : logs;
  return { variance: varianceOf(kept), degrees: logs.length - 1 };
}

const cellsById = new WeakMap<ComparableRun, Map<string, CellRecord>>();

function cellOf(run: ComparableRun, id: string): CellRecord | undefined {
  let byId = cellsById.get(run);
  if (byId === undefined) {
    byId = new Map(run.cells.map((cell) => [cell.id, cell]));
    cellsById.set(run, byId);
  }
  return byId.get(id);
}

/**
 * Returns the log launch medians of a cell in an earlier run. Null if that run did not measure the same cell by the same method, if
 * its values are imported, or if its time must not be compared (openReasonOf()).
 * @param figure name of the measured time
 */
function logsIn(run: ComparableRun, cell: OkCell, figure: string): number[] | null {
  const earlier = cellOf(run, cell.id);
  if (earlier?.status !== 'ok' || earlier.printed !== undefined) return null;
  const [then, now] = [measuredOf(earlier, figure), measuredOf(cell, figure)];
  if (then === null || now === null || then.launchValues.length === 0) return null;
  const isBatchChosen = run.record.plan.sampling.batch === 0;
  const methodOf = ({ method: { batch, ...method } }: MeasuredFigure): string =>
    JSON.stringify(isBatchChosen ? method : { ...method, batch });
  if (methodOf(then) !== methodOf(now) || openReasonOf(then) !== null) return null;
  return then.launchValues.map((value) => Math.log(value));
}

/**
 * Returns the level of each earlier run: its mean log time over the sizes of one size range (`alike`), each size relative to its
 * mean over all these runs. If a run lacks a size, or its launches scatter too much there, the size is left out for this run only.
 * A run with fewer than half of the sizes has no level.
 * @param figure name of the measured time
 */
function levelsOf(history: readonly ComparableRun[], alike: readonly OkCell[], figure: string): RunLevel[] {
  const sizes = alike.map((cell) => {
    const runs = history.map((run) => logsIn(run, cell, figure));
    const means = runs.flatMap((logs) => (logs === null ? [] : [mean(logs)]));
    const centre = means.length === 0 ? 0 : mean(means);
    return runs.map((logs) => logs?.map((log) => log - centre) ?? null);
  });
  return history.flatMap((_run, i): RunLevel[] => {
    const logs = sizes.flatMap((runs) => (runs[i] == null ? [] : [runs[i]]));
    if (logs.length === 0 || 2 * logs.length < alike.length) return [];
    const launches = Math.min(...logs.map((own) => own.length));
    const means = meanPerLaunch(logs, launches);
    return [{ log: mean(means), launchVariance: varianceOf(means) / launches }];
  });
}

/**
 * Returns how much times in these cells differ between runs of an unchanged program, as a standard deviation (`sd`) of log time:
 * from earlier runs if at least `minRuns` have measured them, otherwise the value assumed for their transport. Only `sd` from
 * earlier runs includes the differences of their launches. Earlier runs of too few nights (`hasFewNights`) count only if their
 * variance is at least the assumed one plus `launchVariance`.
 * @param alike cells of one size range, or a single cell of it; at least one
 * @param figure name of the measured time
 */
export function runScatterOf(
  alike: readonly [OkCell, ...OkCell[]],
  figure: string,
  { history, hasFewNights }: Pick<CompareOptions, 'history' | 'hasFewNights'>,
): RunScatter {
  const levels = levelsOf(history, alike, figure);
  const { transport } = alike[0];
  const assumed = defaultRunScatter(transport);
  const runs = levels.length;
  if (runs >= minRuns) {
    const { variance, degrees } = runScatter(levelVariance(levels.map(({ log }) => log)), transport);
    const launchVariance = mean(levels.map((level) => level.launchVariance));
    if (!hasFewNights || variance >= assumed.variance + launchVariance)
      return { sd: Math.sqrt(variance), degrees, from: 'history', runs, launchVariance };
  }
  const { variance, degrees } = assumed;
  return { sd: Math.sqrt(variance), degrees, from: 'transport', runs, launchVariance: 0 };
}

/**
 * Returns how much times differ between runs of an unchanged program, for a comparison of two runs. The result is a standard
 * deviation (`sd`) of log time; if it is from earlier runs, it includes the differences of their launches (`launchVariance`).
 * @param pairs results of both runs, for the sizes of one size range or for a single size
 * @param figure name of the measured time
 * @returns null if the launches of both runs were measured interleaved, or if `pairs` is empty; `sd` 0 if there are too few earlier
 * runs or nights and `collbench aa` measured by which factor runs differ more than launches, because the launches' standard errors
 * are multiplied by this factor (`scatterFactor`)
 */
export function betweenRunsOf(
  pairs: readonly OkPair[],
  figure: string,
  { runScatterFrom, ...known }: Pick<CompareOptions, 'history' | 'hasFewNights' | 'runScatterFrom'>,
): RunScatter | null {
  const [first, ...others] = pairs.map(({ base }) => base);
  if (runScatterFrom === null || first === undefined) return null;
  const found = runScatterOf([first, ...others], figure, known);
  return found.from === 'transport' && runScatterFrom === 'aa'
    ? { sd: 0, degrees: null, from: 'aa', runs: 0, launchVariance: 0 }
    : found;
}
