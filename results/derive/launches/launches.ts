import { mean, median, sampleStandardDeviation, sum } from 'simple-statistics';
import { addTo } from '../../collections.ts';
import { type CellRecord, type MeasuredFigure, measuredOf, type OkCell } from '../../schema/index.ts';
import { groupOf, xValueOf } from '../cells/cell-group.ts';
import {
  type LaunchRange,
  launchesNeededReason,
  minLaunches,
  minLaunchesForT,
  minSizesOfRange,
  reportedInterval,
  spanReasonOf,
} from '../statistics/figure-interval.ts';
import { intervalZ } from '../statistics/interval.ts';
import {
  launchVariance,
  logVariance,
  medianShare,
  tInterval,
  type VariancePrior,
  varianceLost,
} from '../statistics/launch-interval.ts';
import { studentQuantile } from '../statistics/student.ts';

/**
 * Returns the variance of a launch's log median that the other sizes of a cell's series and size range suggest: the median of
 * their variances. The same processes measure all sizes of a launch, so sizes are not independent. The result therefore counts with
 * 2(r-1)(1-c) degrees of freedom for r launches, where c is the share of scatter that sizes have in common.
 * @param mediansNs launch medians of the cell, two at least
 * @param others launch medians of the other sizes; a size with fewer than two does not count
 * @param inflation factor by which the variance of the mean of launches is larger because successive launches are alike; 1 =
 * independent
 * @returns null with fewer than four other sizes, or if all launches of these agree
 */
export function priorOf(
  mediansNs: readonly number[],
  others: readonly (readonly number[])[],
  inflation = 1,
): VariancePrior | null {
  const usable = usableOf(others);
  if (usable.length < minSizesOfRange - 1) return null;
  const variance = median(
    usable.map(
      (medians) =>
        (logVariance(medians) * varianceLost(medians.length, inflation)) /
        medianShare(Math.max(1, medians.length / inflation - 1)),
    ),
  );
  if (!(variance > 0)) return null;
  const independent = Math.max(1, mediansNs.length / inflation - 1);
  const degrees = 2 * independent * (1 - commonShare([mediansNs, ...usable]));
  return { variance, degrees };
}

/**
 * Returns the share of the scatter of launches that all sizes have in common: the mean correlation of log launch medians between
 * two sizes (intraclass correlation of standardised values), at least 0. If sizes have different numbers of launches, the first
 * ones are used, up to the lowest number. Sizes without scatter do not count; 0 if fewer than two sizes remain.
 * @param table launch medians by size, in the order of launches, two at least of each
 */
export function commonShare(table: readonly (readonly number[])[]): number {
  const launches = Math.min(...table.map(({ length }) => length));
  const columns = standardisedLogs(table, launches);
  const sizes = columns.length;
  if (sizes < 2) return 0;
  const sums = Array.from({ length: launches }, (_, launch) =>
    sum(columns.map((column) => column[launch] as number)),
  );
  // The variance of a sum of n unit variances is n + n(n-1) times their mean correlation.
  const variance = sum(sums.map((one) => one ** 2)) / (launches - 1);
  return Math.min(1, Math.max(0, (variance - sizes) / (sizes * (sizes - 1))));
}

/**
 * Returns the log launch medians of each size with mean 0 and variance 1. Sizes without scatter, or with fewer than `launches`
 * launches, are left out.
 */
const standardisedLogs = (table: readonly (readonly number[])[], launches: number): number[][] =>
  table.flatMap((medians) => {
    if (medians.length < launches) return [];
    const logs = medians.slice(0, launches).map(Math.log);
    const [centre, deviation] = [mean(logs), sampleStandardDeviation(logs)];
    return deviation > 0 ? [logs.map((log) => (log - centre) / deviation)] : [];
  });

/** Lowest number of launches of a series for which the likeness of successive launches is estimated. */
const minLaunchesOfSeries = 12;
/**
 * Number of steps in which launchInflation() computes its factor; after them the factor, which is part of its own correction,
 * hardly changes.
 */
const inflationSteps = 6;

/**
 * Returns the factor by which the variance of the mean of a size's launches is larger than for independent launches, because the
 * speed of the machine wanders more slowly than launches follow each other: 1 + 2 times the sum of autocorrelations, in pairs while
 * these are positive (Geyer 1992). The autocorrelations are those of the logarithms of the launch medians, of each size with mean 0
 * and variance 1, averaged over all sizes. Because that mean comes from the same launches, an autocorrelation is too low by about F
 * / n, with F = the factor without this correction and n = the number of launches; F / n is added. At least 1, at most half of the
 * launches; 1 with fewer than 12 launches.
 * @param table launch medians by size, in the order of launches; sizes with fewer launches than the first do not count
 */
export function launchInflation(table: readonly (readonly number[])[]): number {
  const launches = table[0]?.length ?? 0;
  if (launches < minLaunchesOfSeries) return 1;
  const columns = standardisedLogs(table, launches);
  if (columns.length === 0) return 1;
  const correlation = (lag: number): number =>
    mean(columns.map((column) => mean(column.slice(lag).map((z, i) => z * (column[i] as number)))));
  const most = launches / 2;
  let inflation = 1;
  for (let step = 0; step < inflationSteps; step += 1) {
    let found = 1;
    for (let lag = 1; lag + 1 <= launches / 3; lag += 2) {
      const pair = correlation(lag) + correlation(lag + 1) + (2 * inflation) / launches;
      if (pair <= 0) break;
      found += 2 * pair;
    }
    inflation = Math.min(most, Math.max(1, found));
  }
  return inflation;
}

/**
 * Factor by which the log distances of consecutive launches from their mean are enlarged. Measurements show that consecutive
 * launches differ by half as much as launches apart in time.
 */
const closeFactor = 2;

/**
 * Returns the figure's launch medians in ns for intervals, priors and comparisons. If launches were close in time, the medians'
 * distances from their geometric mean are enlarged; the geometric mean stays the same.
 */
export function launchValuesOf(
  { flags }: Pick<OkCell, 'flags'>,
  { launchValues }: Pick<MeasuredFigure, 'launchValues'>,
): readonly number[] {
  return flags.some(({ name }) => name === 'launches-close') ? spreadLaunches(launchValues) : launchValues;
}

/**
 * Returns the launch medians in ns, each moved to twice their log distance from the geometric mean, since launches close in time
 * differ less than independent ones.
 */
export function spreadLaunches(mediansNs: readonly number[]): number[] {
  const centre = mean(mediansNs.map(Math.log));
  return mediansNs.map((ns) => Math.exp(centre + closeFactor * (Math.log(ns) - centre)));
}

const usableOf = (others: readonly (readonly number[])[]): (readonly number[])[] =>
  others.filter((medians) => medians.length >= 2);

/**
 * Returns the cells with intervals that also use the scatter of other sizes of the same series (`basis` moderated-t); with few
 * launches these are mostly narrower. All cells of a run are needed, because a single cell does not know the other sizes. The
 * function may be called again on its result: everything is computed from `launchValues` and `samplesAlone`.
 * @param cells of one run, any order; returned in the same order, cells without two launches unchanged
 */
export function refineIntervals<C extends CellRecord>(cells: readonly C[]): C[] {
  const othersOf = launchesOfOthers(cells);
  return cells.map((cell) => {
    if (cell.status !== 'ok') return cell;
    const figures = cell.figures.map((one) =>
      one.kind === 'measured' ? refine(cell, one, othersOf(cell, one.name)) : one,
    );
    return { ...cell, figures };
  });
}

/**
 * Returns a function that gives the launch medians, in ns, of the figure `name` at all other sizes of a cell's series and size
 * range, one list per size.
 * @param cells cells of one run, any order
 */
export function launchesOfOthers(
  cells: readonly CellRecord[],
): (cell: OkCell, name: string) => readonly (readonly number[])[] {
  const groups = new Map<string, OkCell[]>();
  for (const cell of cells) {
    if (cell.status !== 'ok') continue;
    const { key } = groupOf(cell);
    addTo(groups, key, cell);
  }
  return (cell, name) => {
    const x = xValueOf(cell);
    const others = (groups.get(groupOf(cell).key) ?? []).filter((other) => xValueOf(other) !== x);
    return others.flatMap((other) => {
      const figure = measuredOf(other, name);
      return figure === null ? [] : [launchValuesOf(other, figure)];
    });
  };
}

/**
 * Returns, as a text for readers, why a figure must not be compared with others: it has no interval, and one of these spans more
 * than a factor of four: the interval of its samples alone, its launch medians, the t interval of three launches or more. Null if
 * it may be compared, with fewer than two launches, and without a figure.
 */
export function openReasonOf(figure: MeasuredFigure | null): string | null {
  if (figure === null || figure.interval !== null || figure.launchValues.length < 2) return null;
  const { launchValues, samplesAlone } = figure;
  const { lowNs, highNs } = tInterval(launchValues);
  const reaches = [
    ...(samplesAlone === undefined ? [] : [samplesAlone]),
    { low: Math.min(...launchValues), high: Math.max(...launchValues) },
    // With two launches the t interval is always wide, so it is not checked.
    ...(launchValues.length < minLaunchesForT ? [] : [{ low: lowNs, high: highNs }]),
  ];
  // Figures made from several runs never have an interval, so their stored reason does not say whether launches are far apart.
  return reaches.map((reach) => spanReasonOf(reach, launchValues)).find((reason) => reason !== null) ?? null;
}

/**
 * Returns the relative standard error (0.01 = 1 %) of a measured time that comes from the scatter of samples within launches; 0 if
 * it is not known, as for null, one launch, or an imported run.
 */
export function sampleError(figure: MeasuredFigure | null): number {
  const { low = 0, high = 0 } = figure?.samplesAlone ?? {};
  return low > 0 ? Math.log(high / low) / 2 / intervalZ : 0;
}

/**
 * Returns the 95 % interval that the samples alone give, with the lowest and highest sample of a measured time. Null for one launch
 * and for imported runs, whose results do not have them.
 */
function launchRangeOf({ samplesAlone, min, max }: MeasuredFigure): LaunchRange | null {
  return samplesAlone === undefined || min === null || max === null ? null : { ...samplesAlone, min, max };
}

function refine(
  cell: OkCell,
  figure: MeasuredFigure,
  others: readonly (readonly number[])[],
): MeasuredFigure {
  const launchValues = launchValuesOf(cell, figure);
  if (launchValues.length < 2) return figure;
  return { ...figure, ...launchFigure(launchValues, others, launchRangeOf(figure)) };
}

/**
 * Returns the interval of a figure that has several launches, or the reason why it has none. With fewer than four launches an
 * interval needs four other sizes with launches of their own.
 * @param mediansNs launch medians, two at least
 * @param others launch medians of other sizes, as far as known
 * @param seen range of all samples; null if only launch medians are known
 */
export function launchFigure(
  mediansNs: readonly number[],
  others: readonly (readonly number[])[],
  seen: LaunchRange | null,
): Pick<MeasuredFigure, 'interval' | 'intervalReason'> {
  const r = mediansNs.length;
  if (r < minLaunches && usableOf(others).length < minSizesOfRange - 1) {
    return { interval: null, intervalReason: launchesNeededReason(r) };
  }
  const inflation = launchInflation([mediansNs, ...others]);
  const prior = priorOf(mediansNs, others, inflation);
  const { interval, reason } = reportedInterval(mediansNs, prior, seen, inflation);
  const basis = prior === null ? ('t' as const) : ('moderated-t' as const);
  return {
    interval: interval === null ? null : { ...interval, scope: 'launches', basis },
    intervalReason: reason,
  };
}

/**
 * Returns how much the differences between launches contribute to the uncertainty of a cell's figure. `betweenHalfWidth` is the
 * relative half width that the 95 % interval would have if every launch had unlimited samples. `betweenShare` is the share of the
 * variance of launch medians that lies between launches, 0 to 1.
 * @param mediansNs medians of two launches or more
 * @param others launch medians of other sizes, as for refineIntervals()
 * @param errors standard error of each launch's log median that comes from its samples; empty = unknown, then nothing is subtracted
 */
export function betweenLaunches(
  mediansNs: readonly number[],
  others: readonly (readonly number[])[],
  errors: readonly number[],
): { betweenHalfWidth: number; betweenShare: number } {
  const r = mediansNs.length;
  const own = launchVariance(mediansNs, priorOf(mediansNs, others));
  const within = sum(errors.map((error) => error ** 2)) / r;
  const between = Math.max(0, own.variance - within);
  return {
    betweenHalfWidth: Math.sinh(studentQuantile(0.975, own.degrees) * Math.sqrt(between / r)),
    betweenShare: own.variance === 0 ? 0 : between / own.variance,
  };
}
