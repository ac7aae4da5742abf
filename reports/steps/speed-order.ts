// The order of what is compared, as far as intervals support it.
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { cellAt, figureOf, type Series, type SeriesGroup } from '../series.ts';

/** Series that no interval tells apart as a whole from those beside them, the fastest first. */
export interface SpeedLevel {
  members: { series: Series; ns: number }[];
}

export interface SpeedOrder {
  x: number;
  levels: SpeedLevel[];
  /** Without an interval they have no place. */
  unplaced: Series[];
  /** An interval says nothing of other launches. */
  isOfOneLaunch: boolean;
}

/** Below this ratio two times print as 1.00x: no order. */
const leastRatio = 1.005;

/**
 * Levels of time at x: one ends where every interval up to there ends before any behind it begins. 95 % intervals that do
 * not overlap differ at about 0.5 % (Schenker & Gentleman 2001), so that some ten pairs of them hold together.
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
