import { addTo } from '../results/collections.ts';
import { groupOf } from '../results/derive/cells/cell-group.ts';
import { launchFigure, launchValuesOf } from '../results/derive/launches/launches.ts';
import { crossings, type PairedTimes } from '../results/derive/summaries/crossover.ts';
import { fixedText, parseSeriesName } from '../results/schema/index.ts';
import { isUnobservedSeries, type XAxisFormat } from './rows.ts';
import { cellAt, figureOf, isOk, type Series, type SeriesGroup } from './series.ts';

/**
 * Times in ns of two compared series, `a` and `b`, at one x (mostly message size), and which series is faster. `tie`: the interval
 * of the ratio contains 1, or the ratio rounds to 1.00. `unknown`: an interval is missing.
 */
export interface PairedPoint extends PairedTimes {
  /**
   * Half width of the 95 % interval of the natural logarithm of a/b (the ratio of both times); `null` if one of the times has no
   * interval.
   */
  logHalfWidth: number | null;
  winner: 'a' | 'b' | 'tie' | 'unknown';
}

/**
 * An x at which the faster of two series becomes the slower one. `x` is an estimate. Which series is faster is certain only below
 * `low` and above `high`.
 */
export interface Crossover {
  x: number;
  low: number;
  high: number;
  /** The series that is faster above `x`. */
  above: 'a' | 'b';
}

export interface SeriesComparison {
  a: Series;
  b: Series;
  /** Format of the x axis, which both series share. */
  x: XAxisFormat;
  points: PairedPoint[];
  crossovers: Crossover[];
  mixedMedia: boolean;
  /** True if the group has more series than these two; sentences then name both compared series. */
  several?: boolean;
}

/**
 * Returns the comparisons of two series that get a sentence: transports of one run, and one transport in different runs with equal
 * rank counts. Compared transports have the same fixed algorithm, protocol and load (other comparisons are in fastest-choices.ts
 * and load-overlap.ts) and the same group of ranks, and are measured without a profiler. With more than three such series in a run,
 * each is compared only with the first. Transports of a run with one rank are not compared, because it sends nothing.
 */
export function comparisonsOf(group: SeriesGroup): SeriesComparison[] {
  const keys = new Map(group.series.map((series) => [series, peerKeyOf(series)]));
  const peerKey = (series: Series) => keys.get(series) ?? '';
  const peersByKey = new Map<string, Series[]>();
  for (const series of group.series) addTo(peersByKey, peerKey(series), series);
  const related = (a: Series, b: Series) => {
    if (a.run.id === b.run.id && a.run.plan.ranks === 1) return false;
    if (!isUnobservedSeries(a) || !isUnobservedSeries(b)) return false;
    if (a.member?.name !== b.member?.name) return false;
    if (a.run.id !== b.run.id) return a.transport === b.transport && a.run.plan.ranks === b.run.plan.ranks;
    const peers = peersByKey.get(peerKey(a)) ?? [];
    // With more than three series the pairs become too many to read, so each is compared only with the first.
    return peerKey(a) === peerKey(b) && (peers.length <= 3 || a === peers[0]);
  };
  return group.series.flatMap((a, i) =>
    group.series
      .slice(i + 1)
      .filter((b) => related(a, b))
      .map((b) => ({ ...compare(a, b, group), several: group.series.length > 2 })),
  );
}

/** Returns a key that is equal for series of one run that differ only in their transport. */
const peerKeyOf = ({ run, member, transport }: Series): string =>
  JSON.stringify([run.id, member?.name ?? null, fixedText(parseSeriesName(transport))]);

/**
 * Smallest absolute logarithm of a ratio that counts as a difference. A smaller one is printed as 1.00x, so it is a tie, however
 * narrow the intervals are.
 */
const minLogRatio = Math.log(1.005);

/**
 * Minimum number of launches for which transports of a run are compared launch by launch. With fewer launches, the interval of such
 * a ratio is too wide.
 */
const minPairedLaunches = 12;

/**
 * Half widths of the 95 % intervals of log(a/b), by x. Each launch gives one ratio, because it measures both transports in turn:
 * what slows the machine down in a launch slows both and cancels. Empty for series of different runs. An x at which the launches
 * are few, or different in number, is left out.
 */
function pairedHalves(a: Series, b: Series, group: SeriesGroup): Map<number, number> {
  if (a.run.id !== b.run.id) return new Map();
  const pairs = a.slots.flatMap(({ cell, x }) => {
    const otherCell = cellAt(b, x);
    const [own, other] = [figureOf(cell, group), figureOf(otherCell, group)];
    if (!isOk(cell) || !isOk(otherCell) || own === null || other === null) return [];
    const [times, otherTimes] = [launchValuesOf(cell, own), launchValuesOf(otherCell, other)];
    if (times.length < minPairedLaunches || times.length !== otherTimes.length) return [];
    const ratios = times.map((ns, launch) => ns / (otherTimes[launch] as number));
    return [{ x, range: groupOf(cell).key, ratios }];
  });
  return new Map(
    pairs.flatMap(({ x, range, ratios }) => {
      const others = pairs.filter((one) => one.x !== x && one.range === range).map((one) => one.ratios);
      const half = logHalf(launchFigure(ratios, others, null).interval);
      return half === null ? [] : [[x, half] as const];
    }),
  );
}

/**
 * Compares two series at each x that both measured, by the ratio a/b of their times. At an x where two series of one run have
 * `minPairedLaunches` launches or more each, they are compared launch by launch. Otherwise the 95 % intervals of both times are
 * combined as independent errors. The result is a tie if the interval of the ratio contains 1 or the ratio rounds to 1.00, and
 * `unknown` if an interval is missing.
 */
export function compare(a: Series, b: Series, group: SeriesGroup): SeriesComparison {
  const points: PairedPoint[] = [];
  const paired = pairedHalves(a, b, group);
  for (const slot of a.slots) {
    const fa = figureOf(slot.cell, group);
    const fb = figureOf(cellAt(b, slot.x), group);
    if (fa === null || fb === null) continue;
    const ha = logHalf(fa.interval);
    const hb = logHalf(fb.interval);
    const h = ha === null || hb === null ? null : (paired.get(slot.x) ?? Math.hypot(ha, hb));
    const d = Math.log(fa.value / fb.value);
    const least = Math.max(h ?? 0, minLogRatio);
    const winner = h === null ? 'unknown' : d < -least ? 'a' : d > least ? 'b' : 'tie';
    points.push({
      x: slot.x,
      aNs: fa.value,
      bNs: fb.value,
      logHalfWidth: h,
      aHalf: ha,
      bHalf: hb,
      winner,
    });
  }
  const mixedMedia = (a.medium === 'emulated') !== (b.medium === 'emulated');
  return { a, b, x: group.x, points, crossovers: crossoversOf(points), mixedMedia };
}

/**
 * Returns half the width of the 95 % interval of a value's natural logarithm; `null` without an interval, or if its low end is
 * not positive.
 */
export function logHalf(interval: { low: number; high: number } | null): number | null {
  return interval === null || interval.low <= 0 ? null : Math.log(interval.high / interval.low) / 2;
}

/**
 * Finds each x at which the faster of two series becomes the slower one. It lies between two neighbouring points with different
 * winners; points without a winner are skipped, because a change of order there may be noise. results/derive estimates the position
 * and its uncertainty.
 */
function crossoversOf(points: readonly PairedPoint[]): Crossover[] {
  const decided = points.filter((p) => p.winner === 'a' || p.winner === 'b');
  const found: Crossover[] = [];
  for (let i = 1; i < decided.length; i++) {
    const before = decided[i - 1];
    const after = decided[i];
    if (before === undefined || after === undefined || before.winner === after.winner) continue;
    const stretch = points.slice(points.indexOf(before), points.indexOf(after) + 1);
    const roots = crossings(stretch);
    const middle = roots[Math.floor(roots.length / 2)];
    const low = roots[0]?.low ?? before.x;
    const high = roots.at(-1)?.high ?? after.x;
    // The range in which the order is uncertain follows from the intervals of all points. A measured point outside it without a
    // winner widens the range.
    const undecided = stretch.slice(1, -1);
    found.push({
      x: middle?.x ?? after.x,
      low: undecided.some((p) => p.x < low) ? before.x : low,
      high: undecided.some((p) => p.x > high) ? after.x : high,
      above: after.winner === 'a' ? 'a' : 'b',
    });
  }
  return found;
}
