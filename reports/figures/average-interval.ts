// Intervals of average times over message sizes.
import { sum } from 'simple-statistics';
import { minLaunches } from '../../results/derive/statistics/figure-interval.ts';
import { tInterval } from '../../results/derive/statistics/launch-interval.ts';
import type { MeasuredFigure } from '../../results/schema/index.ts';

/**
 * 95 % interval of an average time over all message sizes: its low end (`shorter`) and its high end (`longer`), each divided by
 * that time. `basis`: computed from the launches, or from the intervals of the single sizes.
 */
export interface AverageSpread {
  shorter: number;
  longer: number;
  basis: 'launches' | 'sizes';
}

/**
 * Returns the interval of the total time of all message sizes of one series, relative to that time. If every size has the same
 * number of launches, and at least `minLaunches`, it is the 95 % t interval of the launches' total times. It then includes
 * deviations that all sizes of a launch share. Otherwise each end is the sum of the ends of all sizes' intervals, which makes the
 * interval rather too wide than too narrow; if a size then has no interval, the result is null.
 * @param figures measured times of one series, one per size
 */
export function spreadOf(figures: readonly MeasuredFigure[]): AverageSpread | null {
  const launches = Math.min(...figures.map(({ launchValues }) => launchValues.length));
  if (launches >= minLaunches && figures.every(({ launchValues }) => launchValues.length === launches)) {
    const sums = Array.from({ length: launches }, (_, launch) =>
      sum(figures.map(({ launchValues }) => launchValues[launch] ?? 0)),
    );
    const { centreNs, lowNs, highNs } = tInterval(sums);
    return { shorter: lowNs / centreNs, longer: highNs / centreNs, basis: 'launches' };
  }
  const ends = figures.flatMap(({ interval }) => interval ?? []);
  if (ends.length < figures.length) return null;
  const value = sum(figures.map((one) => one.value));
  return {
    shorter: sum(ends.map(({ low }) => low)) / value,
    longer: sum(ends.map(({ high }) => high)) / value,
    basis: 'sizes',
  };
}

/**
 * Returns the caption's sentence that says how the intervals of the bars were computed, and how many bars have none.
 * @param spreads intervals, one per bar; null = the bar has none
 */
export function spreadSentence(spreads: readonly (AverageSpread | null)[]): string {
  const known = spreads.filter((one) => one !== null);
  if (known.length === 0) return 'No intervals: some size of each bar has none, and launches are too few.';
  const between = known.filter(({ basis }) => basis === 'launches').length;
  const how =
    between === known.length
      ? '95 % intervals between launches of the time of all sizes together'
      : between === 0
        ? 'all sizes at the same end of their 95 % intervals, which is wider than a 95 % interval of the average'
        : '95 % intervals between launches, or all sizes at the same end of theirs where launches are few';
  const lack = spreads.length - known.length;
  return `Whiskers: ${how}${lack === 0 ? '' : `; ${lack} of ${spreads.length} bars have none`}.`;
}
