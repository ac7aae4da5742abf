// How often 95 % intervals hold what they are of.

import { median } from 'simple-statistics';
import { refineIntervals } from '../../../results/derive/launches.ts';
import { medianInterval } from '../../../results/derive/statistics/interval.ts';
import { launchInterval } from '../../../results/derive/statistics/launch-interval.ts';
import { measuredOf } from '../../../results/schema/index.ts';
import { syntheticRecord } from '../../../results/testing/run.ts';
import { profiles, samplesOf, trueMedian } from './profiles.ts';
import { RandomDraws, type SimulatedShare, shareOf } from './random.ts';

export interface IntervalCoverage {
  what: string;
  covered: SimulatedShare;
  /** Half of the width relative to the middle, median over the repetitions. */
  halfWidth: number;
}

/** One launch of a fixed number of samples, looked at once. */
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

/** Several launches, t on their log medians: the launches of one cell alone. */
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
        const { lowNs, highNs, centreNs } = launchInterval(medians);
        if (lowNs <= truth && truth <= highNs) hits += 1;
        widths.push((highNs - lowNs) / 2 / centreNs);
      }
      const what = `${r} launches that differ by ${sd * 100} %`;
      return { what, covered: shareOf(hits, repetitions), halfWidth: median(widths) };
    }),
  );
}

/** Several launches with the help of the other sizes, for a share of the scatter that all sizes have in common. */
export function withSiblings(repetitions: number): IntervalCoverage[] {
  const sizes = [8, 16, 32, 64, 128, 256, 512, 1024, 2048];
  return [0, 0.5, 0.8].flatMap((shared) =>
    [2, 3, 5].map((launches) => {
      const draws = new RandomDraws(20260103 + launches + Math.round(100 * shared));
      const { cells } = syntheticRecord({ sizes, launches });
      let hits = 0;
      const widths: number[] = [];
      for (let i = 0; i < repetitions; i += 1) {
        const common = Array.from({ length: launches }, () => draws.normal());
        const drawn = cells.map((cell) => {
          const medians = common.map(
            (z) => 10_000 * Math.exp(0.01 * (Math.sqrt(shared) * z + Math.sqrt(1 - shared) * draws.normal())),
          );
          if (cell.status !== 'ok') return cell;
          const figures = cell.figures.map((one) =>
            one.kind === 'measured' && one.name === 'latency' ? { ...one, launchValues: medians } : one,
          );
          return { ...cell, figures };
        });
        for (const cell of refineIntervals(drawn)) {
          const interval = measuredOf(cell, 'latency')?.interval;
          if (interval == null) continue;
          if (interval.low <= 10_000 && 10_000 <= interval.high) hits += 1;
          widths.push((interval.high - interval.low) / 2 / 10_000);
        }
      }
      const what = `${launches} launches, ${shared * 100} % of the scatter common to the sizes`;
      // Sizes of one repetition share launches: they are not as many witnesses.
      const of = Math.round(repetitions * (shared === 0 ? sizes.length : 1));
      return { what, covered: shareOf((hits / widths.length) * of, of), halfWidth: median(widths) };
    }),
  );
}
