// Order of series by speed. Series are only ordered if their intervals show a difference.
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { cellAt, figureOf, type Series, type SeriesGroup } from '../series.ts';

/**
 * Series of about equal speed at one x; `members` begins with the fastest. If there are several, their 95 % intervals form a chain
 * of overlaps, or their times differ by less than 0.5 % from one to the next. `ns`: time per operation in ns.
 */
export interface SpeedLevel {
  members: { series: Series; ns: number }[];
}

export interface SpeedOrder {
  x: number;
  levels: SpeedLevel[];
  /** Series without an interval, whose place in the order is therefore unknown. */
  unplaced: Series[];
  /** True if the intervals come from a single launch, so that they do not cover differences between launches. */
  isOfOneLaunch: boolean;
}

/**
 * Minimum ratio of the longer to the shorter of two times that counts as a difference in speed. A smaller ratio is printed as
 * 1.00x.
 */
const minRatio = 1.005;

/**
 * Sorts series by time at one x into levels of about equal speed. A new level begins where the intervals of all slower series start
 * above the ends of all intervals so far, and the time is at least `minRatio` times that of the next faster series. Series without
 * an interval are not ordered, but returned in `unplaced`. If two 95 % intervals do not overlap, the error probability of
 * "different" is about 0.5 % (Schenker & Gentleman 2001), so about ten such comparisons together are still reliable.
 */
export function speedOrder(group: SeriesGroup, x: number): SpeedOrder {
  const measured = group.series.flatMap((series) => {
    const figure = figureOf(cellAt(series, x), group);
    return figure === null ? [] : [{ series, figure }];
  });
  const placed = measured
    .flatMap(({ series, figure }) => {
      const { interval } = figure;
      return interval === null ? [] : [{ series, figure, interval }];
    })
    .sort((a, b) => a.figure.value - b.figure.value);
  const levels: SpeedLevel[] = [];
  let end = Number.NEGATIVE_INFINITY;
  let last: MeasuredFigure | null = null;
  placed.forEach(({ series, figure }, i) => {
    const begin = Math.min(...placed.slice(i).map(({ interval }) => interval.low));
    const isApart = last === null || (begin > end && figure.value / last.value >= minRatio);
    if (isApart) levels.push({ members: [] });
    levels.at(-1)?.members.push({ series, ns: figure.value });
    end = Math.max(end, placed[i]?.interval.high ?? end);
    last = figure;
  });
  const unplaced = measured.filter(({ figure }) => figure.interval === null).map(({ series }) => series);
  const isOfOneLaunch = placed.some(({ interval }) => interval.scope === 'this-launch');
  return { x, levels, unplaced, isOfOneLaunch };
}
