import { median } from 'simple-statistics';
import { type CellRecord, type MeasuredFigure, measuredOf, type OkCell } from '../schema/index.ts';
import { groupOf, xValueOf } from './cell-group.ts';
import { studentQuantile } from './statistics/student.ts';

/** Relative half width of the mean of independent medians, from those of each. @returns null where one is not known */
export function pooledHalfWidth(each: readonly (number | null)[]): number | null {
  const known = each.filter((width) => width !== null);
  return known.length < each.length ? null : Math.hypot(...known) / each.length;
}

/** A variance of log launch medians known from elsewhere, and how many degrees of freedom it is trusted with. */
export interface VariancePrior {
  variance: number;
  degrees: number;
}

export interface LaunchInterval {
  /** exp of the mean log median: the geometric mean of the launch medians. */
  centreNs: number;
  lowNs: number;
  highNs: number;
}

/**
 * 95 % t interval over the log medians of r >= 2 launches (stats.md 3.1: the launch is the unit of replication). With a
 * prior the variance is moderated: (d0 s0^2 + (r-1) s^2) / (d0 + r-1) on d0 + r-1 degrees (Smyth 2004; stats.md 3.2).
 * Few launches may agree by luck, and would then seem to know more than their samples: `floor` keeps them from it.
 * @param mediansNs one per launch, positive
 * @param floor     least half width, a share of the centre (pooledHalfWidth())
 * @throws {RangeError} fewer than two launches
 */
export function launchInterval(
  mediansNs: readonly number[],
  prior: VariancePrior | null = null,
  floor = 0,
): LaunchInterval {
  const r = mediansNs.length;
  if (r < 2) throw new RangeError(`an interval over launches needs at least 2, got ${r}`);
  const logs = mediansNs.map(Math.log);
  const mean = logs.reduce((sum, y) => sum + y, 0) / r;
  const { variance, degrees } = moderate(logVariance(mediansNs), r - 1, prior);
  const half = Math.max(Math.asinh(floor), studentQuantile(0.975, degrees) * Math.sqrt(variance / r));
  return { centreNs: Math.exp(mean), lowNs: Math.exp(mean - half), highNs: Math.exp(mean + half) };
}

/** A variance of `degrees` degrees of freedom and what is known beside it, weighted by their degrees (Smyth 2004). */
export function moderate(variance: number, degrees: number, prior: VariancePrior | null): VariancePrior {
  if (prior === null) return { variance, degrees };
  const all = prior.degrees + degrees;
  return { variance: (prior.degrees * prior.variance + degrees * variance) / all, degrees: all };
}

/** Sample variance of log medians, r - 1 in the denominator. */
export function logVariance(mediansNs: readonly number[]): number {
  const logs = mediansNs.map(Math.log);
  const mean = logs.reduce((sum, y) => sum + y, 0) / logs.length;
  return logs.reduce((sum, y) => sum + (y - mean) ** 2, 0) / (logs.length - 1);
}

/** Fewest other sizes whose variances make a prior. */
const fewestOthers = 4;

/**
 * Median of a chi-square with d degrees, over d, after Wilson & Hilferty 1931: variances of few launches are skewed, and
 * their plain median is too small by this factor.
 */
export const medianShare = (d: number): number => (1 - 2 / (9 * d)) ** 3;

/**
 * Prior for one cell from the other sizes of its series and regime. It counts as 2(r-1) degrees however many sizes
 * there are, because sizes of one launch share its fate. Simulated with 5 to 12 other sizes and 0, 50, 80 % of the
 * variance shared among them, the 95 % interval covers 93 to 99 %, at r = 2 with a third of the plain width.
 */
function priorOf(others: readonly (readonly number[])[], r: number): VariancePrior | null {
  const usable = others.filter((medians) => medians.length >= 2);
  if (usable.length < fewestOthers) return null;
  const variance = median(usable.map((medians) => logVariance(medians) / medianShare(medians.length - 1)));
  return variance > 0 ? { variance, degrees: 2 * (r - 1) } : null;
}

/**
 * Narrows the intervals of cells with few launches by what the other sizes of the same series show about launches
 * (`basis` moderated-t). A single cell cannot know that while it is measured, so this is done over all cells of a run:
 * at its end, or as it goes. Pure and repeatable: everything is computed from `launchValues`.
 * @param cells of one run, any order; returned in the same order, cells without two launches untouched
 */
export function refineIntervals<C extends CellRecord>(cells: readonly C[]): C[] {
  const groups = new Map<string, OkCell[]>();
  for (const cell of cells) {
    if (cell.status !== 'ok') continue;
    const { key } = groupOf(cell);
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return cells.map((cell) => {
    if (cell.status !== 'ok') return cell;
    const x = xValueOf(cell);
    const group = (groups.get(groupOf(cell).key) ?? []).filter((other) => xValueOf(other) !== x);
    const figures = cell.figures.map((one) =>
      one.kind === 'measured'
        ? refine(
            one,
            group.map((other) => measuredOf(other, one.name)),
          )
        : one,
    );
    return { ...cell, figures };
  });
}

/**
 * Half width of the interval that a cell will report, as a share of the figure, and what it would be if every launch had
 * samples without end: then only what differs between launches is left.
 * @param mediansNs of two launches or more
 * @param others    launch medians of other sizes, as for refineIntervals()
 * @param errors    relative standard error of each median
 */
export function launchWidth(
  mediansNs: readonly number[],
  others: readonly (readonly number[])[],
  errors: readonly number[],
): { halfWidth: number; betweenHalfWidth: number; betweenShare: number } {
  const r = mediansNs.length;
  const own = moderate(logVariance(mediansNs), r - 1, priorOf(others, r));
  const within = errors.reduce((sum, error) => sum + error ** 2, 0) / r;
  const between = Math.max(0, own.variance - within);
  const reach = (variance: number): number =>
    Math.sinh(studentQuantile(0.975, own.degrees) * Math.sqrt(variance / r));
  return {
    halfWidth: reach(own.variance),
    betweenHalfWidth: reach(between),
    betweenShare: own.variance === 0 ? 0 : between / own.variance,
  };
}

function refine(figure: MeasuredFigure, others: readonly (MeasuredFigure | null)[]): MeasuredFigure {
  const { launchValues } = figure;
  if (launchValues.length < 2) return figure;
  const prior = priorOf(
    others.flatMap((other) => (other === null ? [] : [other.launchValues])),
    launchValues.length,
  );
  const { lowNs, highNs } = launchInterval(launchValues, prior, figure.sampleHalfWidth);
  const basis = prior === null ? 't' : 'moderated-t';
  return { ...figure, interval: { low: lowNs, high: highNs, scope: 'launches', basis } };
}
