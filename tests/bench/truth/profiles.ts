import { median } from 'simple-statistics';
import { RandomDraws } from './random.ts';

/**
 * Scatter of times within one launch (docs/truth.md, Intervals of one launch): log-normal AR(1), and outliers multiplied by
 * 1 + Exp(mean). Optionally every second sample is slower, as NCCL operations over NVLink are (results/reference/nccl-2-h200).
 */
export interface NoiseParameters {
  name: string;
  /** Standard deviation of log time. */
  sd: number;
  rho: number;
  outliers: number;
  outlierMean: number;
  /** Distance of alternating samples from the middle, in multiples of `sd`. */
  turns: number;
}

export const profiles: readonly NoiseParameters[] = [
  { name: 'quiet', sd: 0.004, rho: 0, outliers: 0.01, outlierMean: 0.3, turns: 0 },
  { name: 'mid', sd: 0.015, rho: 0.3, outliers: 0.02, outlierMean: 0.4, turns: 0 },
  { name: 'small', sd: 0.05, rho: 0.5, outliers: 0.05, outlierMean: 0.5, turns: 0 },
  { name: 'sticky', sd: 0.03, rho: 0.8, outliers: 0.02, outlierMean: 0.4, turns: 0 },
  { name: 'alternating', sd: 0.01, rho: 0, outliers: 0.01, outlierMean: 0.3, turns: 1 },
];

/**
 * Generator of the samples of one launch, ns.
 * @param level log of the launch's factor on 10 us
 */
export function sampleSource(
  { sd, rho, outliers, outlierMean, turns }: NoiseParameters,
  draws: RandomDraws,
  level = 0,
): () => number {
  let x = draws.normal();
  let side = turns;
  return () => {
    side = -side;
    x = rho * x + Math.sqrt(1 - rho * rho) * draws.normal();
    const extra = draws.uniform() < outliers ? 1 + draws.exponential(outlierMean) : 1;
    return 10_000 * Math.exp(level + sd * (x + side)) * extra;
  };
}

/** The first n samples of one launch, in the order of time. */
export function samplesOf(profile: NoiseParameters, n: number, draws: RandomDraws, level = 0): number[] {
  const next = sampleSource(profile, draws, level);
  return Array.from({ length: n }, () => next());
}

const known = new Map<string, number>();

/** Median of infinitely many samples, in ns; outliers make it slightly larger. */
export function trueMedian(profile: NoiseParameters): number {
  const found =
    known.get(profile.name) ?? median(samplesOf({ ...profile, rho: 0 }, 1_000_000, new RandomDraws(77)));
  known.set(profile.name, found);
  return found;
}
