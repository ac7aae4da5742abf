// How often 95 % intervals contain the true value.

import { median } from 'simple-statistics';
import { medianInterval } from '../../../results/derive/statistics/interval.ts';
import { tInterval } from '../../../results/derive/statistics/launch-interval.ts';
import { profiles, samplesOf, trueMedian } from './profiles.ts';
import { RandomDraws, type SimulatedShare, shareOf } from './random.ts';

export interface IntervalCoverage {
  what: string;
  covered: SimulatedShare;
  /** Median over the repetitions of half the interval's width, relative to its middle. */
  halfWidth: number;
  /**
   * Share of cases whose launches show both states, if the profile has two; absent = 1. Coverage cannot be expected to be
   * higher.
   */
  shownShare?: number;
}

/** One launch with a fixed number of samples; the interval is computed once. */
export function simulateSingleLaunch(repetitions: number): IntervalCoverage[] {
  return profiles.flatMap((profile) => {
    const truth = trueMedian(profile);
    return [50, 100, 200, 500].map((n) => {
      const draws = new RandomDraws(20260101 + n);
      let hits = 0;
      const widths: number[] = [];
      for (let i = 0; i < repetitions; i += 1) {
        const interval = medianInterval(samplesOf(profile, n, draws), 0.5);
        if (interval === null) continue;
        if (interval.low <= truth && truth <= interval.high) hits += 1;
        widths.push((interval.high - interval.low) / 2 / interval.median);
      }
      return {
        what: `${profile.name}, ${n} samples`,
        covered: shareOf(hits, widths.length),
        halfWidth: median(widths),
      };
    });
  });
}

/** Several launches of one cell alone: Student's t over log medians of the launches. */
export function simulateLaunches(repetitions: number): IntervalCoverage[] {
  const [, mid] = profiles;
  if (mid === undefined) return [];
  const truth = trueMedian(mid);
  return [0.005, 0.01, 0.02].flatMap((sd) =>
    [2, 3, 5, 8].map((r) => {
      const draws = new RandomDraws(20260102 + 100 * r + Math.round(1000 * sd));
      let hits = 0;
      const widths: number[] = [];
      for (let i = 0; i < repetitions; i += 1) {
        const medians = Array.from({ length: r }, () =>
          median(samplesOf(mid, 60, draws, sd * draws.normal())),
        );
        const { lowNs, highNs, centreNs } = tInterval(medians);
        if (lowNs <= truth && truth <= highNs) hits += 1;
        widths.push((highNs - lowNs) / 2 / centreNs);
      }
      const what = `${r} launches that differ by ${sd * 100} %`;
      return { what, covered: shareOf(hits, repetitions), halfWidth: median(widths) };
    }),
  );
}
