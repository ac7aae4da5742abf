import { mean, median, medianSorted, sampleVariance } from 'simple-statistics';
import { stallDoubt } from './stalls.ts';
import { studentQuantile } from './student.ts';

/**
 * Smallest step of the clock, ns. CLOCK_MONOTONIC over the TSC steps by single nanoseconds: the greatest common divisor
 * of 200,000 differences of neighbouring readings was 1 on x86-64 virtual machines.
 */
export const timerQuantumNs = 1;

/** One reading of that clock takes 17 to 25 ns; it is inside every timed span, on all transports alike. */
export const timerReadNs = 20;

/** Step of a CUDA event: cuEventElapsedTime resolves about half a microsecond (CUDA driver API, "Event Management"). */
export const eventQuantumNs = 500;

/** Two-sided 95 %. */
export const intervalZ = 1.959964;

/** Where sampling went on until the interval was narrow enough: looking repeatedly favours luck (docs/truth.md). */
export const sequentialZ = 2.05;

/** Of so many independent samples at least the range holds the median with 95 %: 1 - 2 / 2^6. */
const fewestEffective = 6;
/**
 * How much more dependence is assumed than n samples show: times 1 + (always + perExcess (tau - 1)) / n, at most `most`.
 * By trial on the profiles of stats.md 2.1, with 25 to 500 samples.
 */
const unseen = { always: 2, perExcess: 30, most: 2.5 };
/** A short series cannot prove more than this; `leastInTurns` where neighbours oppose each other, of their pairs `leastOfPairs`. */
const leastTau = 0.3;
const leastInTurns = 0.1;
const leastOfPairs = 0.5;
/** Neighbours oppose each other from so many standard errors of a correlation on. */
const opposed = 2;
const fewestSamples = 12;
/** Without drift blocks reach as far as the order statistics, give or take this. */
const driftFactor = 1.3;

export interface MedianInterval {
  median: number;
  low: number;
  high: number;
  /** n / tau, at most n: samples that independent ones would have to be as many of. */
  effective: number;
}

/**
 * Variance inflation by autocorrelation, from the series of signs around the median (stats.md 2.2): signs carry the
 * dependence that moves a median and are deaf to outliers. Where neighbours oppose each other, as operations that take turns
 * at two buffers do, tau is 1 + r(1) times that of the sums of two, since added lags of such a series do not settle.
 * @param x samples in time order
 * @returns 0.3 or more, 0.1 where neighbours oppose each other: a sample then takes what the one before left
 */
export function signTau(x: readonly number[]): number {
  return dependence(x).tau;
}

/** @returns tau, and by how much what it rests on, single samples or their pairs, is more than independent */
function dependence(x: readonly number[]): { tau: number; excess: number } {
  const n = x.length;
  if (n === 0) return { tau: 1, excess: 0 };
  const middle = median([...x]);
  const signs = x.map((value) => Math.sign(value - middle));
  const next = correlations(signs)(1);
  if (next >= -opposed / Math.sqrt(n)) {
    const tau = Math.max(leastTau, monotoneTau(signs));
    return { tau, excess: Math.max(0, tau - 1) };
  }
  const pairs = Array.from(
    { length: Math.floor(n / 2) },
    (_, i) => (signs[2 * i] as number) + (signs[2 * i + 1] as number),
  );
  const ofPairs = Math.max(leastOfPairs, monotoneTau(pairs));
  return { tau: Math.max(leastInTurns, (1 + next) * ofPairs), excess: Math.max(0, ofPairs - 1) };
}

/** Autocorrelation by lag; 0 where nothing varies. */
function correlations(series: readonly number[]): (lag: number) => number {
  const middle = mean(series);
  const centred = series.map((s) => s - middle);
  const variance = centred.reduce((sum, s) => sum + s * s, 0);
  return (lag) => {
    let sum = 0;
    for (let i = lag; i < centred.length; i += 1)
      sum += (centred[i] as number) * (centred[i - lag] as number);
    return variance === 0 ? 0 : sum / variance;
  };
}

/** Pairs of autocorrelations (lags 0 and 1, 2 and 3, ...), added while they are above 0, none more than the one before (Geyer 1992). */
function monotoneTau(series: readonly number[]): number {
  const correlation = correlations(series);
  const longest = Math.min(series.length / 4, 60);
  let sum = 0;
  let before = Number.POSITIVE_INFINITY;
  for (let k = 0; k <= longest; k += 2) {
    const pair = Math.min(before, (k === 0 ? 1 : correlation(k)) + correlation(k + 1));
    if (pair <= 0) break;
    sum += pair;
    before = pair;
  }
  return 2 * sum - 1;
}

/** What tau is taken for. @param tau of signTau(), from n samples; @param excess that it rests on */
export function cautiousTau(tau: number, n: number, excess = Math.max(0, tau - 1)): number {
  const { always, perExcess, most } = unseen;
  return tau * Math.min(most, 1 + (always + perExcess * excess) / n);
}

/** A median lies among its samples, whatever is not known of it. */
export const maxMedianHalf = 0.5;

/** How far the median of one launch may be from the true one, told in ranks: what no single sample can blow up. */
export interface MedianUncertainty {
  /**
   * Share of the samples to each side: 0.1 is from the 40th to the 60th percentile, 0.5 (`maxMedianHalf`) all of them. null
   * where 95 % cannot be had.
   */
  share: number | null;
  /** Further upwards, where the launch stands alone: stalls that were due but not met (stallDoubt()). */
  missed: number;
  /** n / tau, at most n: samples that independent ones would have to be as many of. */
  effective: number;
}

/**
 * The interval of a median is one of ranks: so many of n samples lie below the true median as of a binomial, whose variance
 * n/4 grows by tau where samples depend on one another (David & Nagaraja 2003, 7.1; stats.md 2.2). A stall moves a rank by
 * one, however long it took.
 * @param x      samples in time order, any positive unit
 * @param blocks sizes of the blocks `x` was taken in; from 8 blocks on slow drift that shows between them counts, too
 * @param z      sequentialZ where these samples were taken until the interval was narrow enough
 */
export function medianDoubt(
  x: readonly number[],
  blocks: readonly number[] = [],
  z = intervalZ,
): MedianUncertainty {
  const n = x.length;
  if (n < fewestSamples) return { share: null, missed: 0, effective: n };
  const { tau, excess } = dependence(x);
  const effective = n / Math.max(1, tau);
  if (effective < fewestEffective) return { share: null, missed: 0, effective };
  const { deviation, missed } = stallDoubt(x);
  const byRanks = Math.hypot((z * Math.sqrt(cautiousTau(tau, n, excess) / n)) / 2, z * deviation);
  const byDrift = driftShare(x, blocks);
  const share = byDrift > driftFactor * byRanks ? byDrift : byRanks;
  return { share: Math.min(maxMedianHalf, share), missed, effective };
}

/**
 * 95 % interval of the median of one launch from order statistics, corrected for autocorrelation (medianDoubt()),
 * interpolated between neighbours, since whole ranks would make it wider than it need be. Upwards it allows for stalls that
 * this launch did not meet. It says nothing about another launch, and but for the clock's step it never leaves the samples.
 * Simulated coverage stands in docs/truth.md.
 * @param halfQuantum the interval reaches at least so far to each side: half the timer quantum, over the batch
 * @returns null where 95 % cannot be had: fewer than 12 samples, or worth fewer than 6 independent ones
 */
export function medianInterval(
  x: readonly number[],
  halfQuantum: number,
  blocks: readonly number[] = [],
  z = intervalZ,
): MedianInterval | null {
  const { share, missed, effective } = medianDoubt(x, blocks, z);
  if (share === null) return null;
  const sorted = [...x].sort((a, b) => a - b);
  const middle = medianSorted(sorted);
  const [low, high] = medianNeighbours(sorted, share, share + missed);
  return {
    median: middle,
    low: Math.min(low, middle - halfQuantum),
    high: Math.max(high, middle + halfQuantum),
    effective,
  };
}

/** The order statistics so far to each side of the middle. @param below share of all samples, like `above`; from 0.5 on all */
export function medianNeighbours(sorted: readonly number[], below: number, above = below): [number, number] {
  const most = (sorted.length - 1) / 2;
  const ranks = (share: number): number => Math.min(most, share * sorted.length);
  return [atRank(sorted, most - ranks(below)), atRank(sorted, most + ranks(above))];
}

/** @param rank from 0, between two of them linear */
function atRank(sorted: readonly number[], rank: number): number {
  const below = Math.floor(rank);
  const from = sorted[below] as number;
  return from + (rank - below) * ((sorted[below + 1] ?? from) - from);
}

/**
 * Half width of the t interval over blocks, each told by the share of all samples that lie below its median; 0 with fewer
 * than 8 blocks. Ranks and not times, so that a block that was stalled as a whole counts as one that was slow.
 */
function driftShare(x: readonly number[], blocks: readonly number[]): number {
  const used = blocks.filter((size) => size > 0);
  if (used.length < 8) return 0;
  const sorted = [...x].sort((a, b) => a - b);
  let from = 0;
  const shares = used.map((size) => {
    const middle = median(x.slice(from, from + size));
    from += size;
    return (countBelow(sorted, middle) + countBelow(sorted, middle, true)) / 2 / sorted.length;
  });
  return studentQuantile(0.975, shares.length - 1) * Math.sqrt(sampleVariance(shares) / shares.length);
}

/** Of ascending values those below `limit`, or, `orEqual`, not above it. */
function countBelow(sorted: readonly number[], limit: number, orEqual = false): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    const value = sorted[at] as number;
    if (value < limit || (orEqual && value === limit)) low = at + 1;
    else high = at;
  }
  return low;
}
