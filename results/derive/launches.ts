import { median } from 'simple-statistics';
import { type CellRecord, type MeasuredFigure, measuredOf, type OkCell } from '../schema/index.ts';
import { groupOf, xValueOf } from './cell-group.ts';
import {
  betweenLaunches,
  fewestAlone,
  fewestForT,
  fewestSizes,
  type Seen,
  spanReasonOf,
  tooFewReason,
} from './statistics/figure-interval.ts';
import { intervalZ } from './statistics/interval.ts';
import {
  launchInterval,
  logVariance,
  medianShare,
  moderate,
  type VariancePrior,
} from './statistics/launch-interval.ts';
import { studentQuantile } from './statistics/student.ts';

/**
 * Prior for one cell from the other sizes of its series and regime. It counts as 2(r-1) degrees however many sizes
 * there are, because sizes of one launch share its fate. Simulated with 5 to 12 other sizes and 0, 50, 80 % of the
 * variance shared among them, the 95 % interval covers 93 to 99 %, at r = 2 with a third of the plain width.
 */
export function priorOf(others: readonly (readonly number[])[], r: number): VariancePrior | null {
  const usable = usableOf(others);
  if (usable.length < fewestSizes - 1) return null;
  const variance = median(usable.map((medians) => logVariance(medians) / medianShare(medians.length - 1)));
  return variance > 0 ? { variance, degrees: 2 * (r - 1) } : null;
}

const usableOf = (others: readonly (readonly number[])[]): (readonly number[])[] =>
  others.filter((medians) => medians.length >= 2);

/**
 * Narrows the intervals of cells with few launches by what the other sizes of the same series show about launches
 * (`basis` moderated-t). A single cell cannot know that while it is measured, so this is done over all cells of a run:
 * at its end, or as it goes. Pure and repeatable: everything is computed from `launchValues` and `samplesAlone`.
 * @param cells of one run, any order; returned in the same order, cells without two launches untouched
 */
export function refineIntervals<C extends CellRecord>(cells: readonly C[]): C[] {
  const othersOf = launchesOfOthers(cells);
  return cells.map((cell) => {
    if (cell.status !== 'ok') return cell;
    const figures = cell.figures.map((one) =>
      one.kind === 'measured' ? refine(one, othersOf(cell, one.name)) : one,
    );
    return { ...cell, figures };
  });
}

/** Launch medians of the same figure at the other sizes of a cell's series and regime. @param cells of one run, any order */
export function launchesOfOthers(
  cells: readonly CellRecord[],
): (cell: OkCell, name: string) => readonly (readonly number[])[] {
  const groups = new Map<string, OkCell[]>();
  for (const cell of cells) {
    if (cell.status !== 'ok') continue;
    const { key } = groupOf(cell);
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return (cell, name) => {
    const x = xValueOf(cell);
    const others = (groups.get(groupOf(cell).key) ?? []).filter((other) => xValueOf(other) !== x);
    return others.flatMap((other) => {
      const figure = measuredOf(other, name);
      return figure === null ? [] : [figure.launchValues];
    });
  };
}

/** A stored cell with the intervals that are still given: earlier versions kept those that say nothing, too. */
export function withinSpan(cell: CellRecord): CellRecord {
  if (cell.status !== 'ok') return cell;
  const figures = cell.figures.map((one) => {
    if (one.kind !== 'measured' || one.interval === null) return one;
    const intervalReason = spanReasonOf(one.interval, one.launchValues);
    return intervalReason === null ? one : { ...one, interval: null, intervalReason };
  });
  return { ...cell, figures };
}

/**
 * Why a figure cannot be held against another, of the same run or of another night: it has no interval, because its samples
 * or its launches leave more than a factor of four open. What is shown without an interval for that is compared by nobody.
 */
export function openReasonOf(figure: MeasuredFigure | null): string | null {
  if (figure === null || figure.interval !== null || figure.launchValues.length < 2) return null;
  const { launchValues, samplesAlone } = figure;
  const { lowNs, highNs } = launchInterval(launchValues);
  const reaches = [
    ...(samplesAlone === undefined ? [] : [samplesAlone]),
    { low: Math.min(...launchValues), high: Math.max(...launchValues) },
    // Of two launches t says nothing, whatever they are.
    ...(launchValues.length < fewestForT ? [] : [{ low: lowNs, high: highNs }]),
  ];
  const isOpen = reaches.some((reach) => spanReasonOf(reach, launchValues) !== null);
  return isOpen ? figure.intervalReason : null;
}

/** Standard error of the log of a figure by its samples alone; 0 where they are not known. */
export function sampleError(figure: MeasuredFigure | null): number {
  const { low = 0, high = 0 } = figure?.samplesAlone ?? {};
  return low > 0 ? Math.log(high / low) / 2 / intervalZ : 0;
}

/** What a figure kept of its samples; null where it has none of its own, as in imported runs. */
export function seenOf({ samplesAlone, min, max }: MeasuredFigure): Seen | null {
  return samplesAlone === undefined || min === null || max === null ? null : { ...samplesAlone, min, max };
}

function refine(figure: MeasuredFigure, others: readonly (readonly number[])[]): MeasuredFigure {
  const { launchValues } = figure;
  if (launchValues.length < 2) return figure;
  return { ...figure, ...launchFigure(launchValues, others, seenOf(figure)) };
}

/**
 * The interval that a figure of several launches reports, or why it has none.
 * @param mediansNs two at least
 * @param others    launch medians of other sizes, as far as they are known
 */
export function launchFigure(
  mediansNs: readonly number[],
  others: readonly (readonly number[])[],
  seen: Seen | null,
): Pick<MeasuredFigure, 'interval' | 'intervalReason'> {
  const r = mediansNs.length;
  if (r < fewestAlone && usableOf(others).length < fewestSizes - 1) {
    return { interval: null, intervalReason: tooFewReason(r) };
  }
  const prior = priorOf(others, r);
  const { interval, reason } = betweenLaunches(mediansNs, prior, seen);
  const basis = prior === null ? ('t' as const) : ('moderated-t' as const);
  return {
    interval: interval === null ? null : { ...interval, scope: 'launches', basis },
    intervalReason: reason,
  };
}

/**
 * Half width of the interval that a cell will report by its launches alone, as a share of the figure, and what it would be
 * if every launch had samples without end: then only what differs between launches is left.
 * @param mediansNs of two launches or more
 * @param others    launch medians of other sizes, as for refineIntervals()
 * @param errors    standard error of each log median
 */
export function launchWidth(
  mediansNs: readonly number[],
  others: readonly (readonly number[])[],
  errors: readonly number[],
): { betweenHalfWidth: number; betweenShare: number } {
  const r = mediansNs.length;
  const own = moderate(logVariance(mediansNs), r - 1, priorOf(others, r));
  const within = errors.reduce((sum, error) => sum + error ** 2, 0) / r;
  const between = Math.max(0, own.variance - within);
  return {
    betweenHalfWidth: Math.sinh(studentQuantile(0.975, own.degrees) * Math.sqrt(between / r)),
    betweenShare: own.variance === 0 ? 0 : between / own.variance,
  };
}
