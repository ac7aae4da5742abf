// Order of series by speed, as far as intervals support it.
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { cellAt, figureOf, type Series, type SeriesGroup } from '../series.ts';

/** Series whose intervals overlap in a chain, the fastest first. */
export interface SpeedLevel {
  members: { series: Series; ns: number }[];
}

export interface SpeedOrder {
  x: number;
  levels: SpeedLevel[];
  /** Series without an interval, which cannot be ordered. */
  unplaced: Series[];
  /** True if intervals come from a single launch and do not cover other launches. */
  isOfOneLaunch: boolean;
}

/** Below this ratio two times print as 1.00x and have no order. */
const leastRatio = 1.005;

/**
 * Sorts series into levels of time at x. A level ends where all intervals so far end before any later one begins. Two 95 %
 * intervals that do not overlap differ at a level of about 0.5 % (Schenker & Gentleman 2001). About ten such pairs are therefore
 * reliable together.
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
    const isApart = last === null || (begin > end && figure.value / last.value >= leastRatio);
    if (isApart) levels.push({ members: [] });
    levels.at(-1)?.members.push({ series, ns: figure.value });
    end = Math.max(end, placed[i]?.interval.high ?? end);
    last = figure;
  });
  const unplaced = measured.filter(({ figure }) => figure.interval === null).map(({ series }) => series);
  const isOfOneLaunch = placed.some(({ interval }) => interval.scope === 'this-launch');
  return { x, levels, unplaced, isOfOneLaunch };
}
