import { mean, median, medianSorted, sampleVariance } from 'simple-statistics';
import { stallDoubt } from './stalls.ts';
import { studentQuantile } from './student.ts';

/**
 * Smallest step of the clock, ns. CLOCK_MONOTONIC over the TSC steps by single nanoseconds: the greatest common divisor
 * of 200,000 differences of neighbouring readings was 1 on x86-64 virtual machines.
 */
export const timerQuantumNs = 1;

/** Duration of one clock reading, ns (measured 17 to 25). Every timed span contains one, whatever the transport. */
export const timerReadNs = 20;

/** Resolution of CUDA events in ns: about half a microsecond (CUDA driver API, cuEventElapsedTime). */
export const eventQuantumNs = 500;

/** Normal quantile of a two-sided 95 % interval. */
export const intervalZ = 1.959964;

/**
 * Normal quantile for a 95 % interval if sampling continued until the interval was narrow enough. It is larger than `intervalZ`,
 * because repeated checks favour intervals that are narrow by chance (docs/truth.md).
 */
export const sequentialZ = 2.05;

/**
 * Lowest number of independent samples for a 95 % interval of the median; with fewer, even the range from lowest to highest sample
 * is too narrow.
 */
const minEffectiveSamples = 6;
/**
 * A series of n samples cannot show all of their dependence. Therefore tau (variance inflation by autocorrelation) is multiplied by
 * 1 + (always + perExcess (tau - 1)) / n, at most by `most`. The numbers were found by trial on the simulated noise of
 * docs/truth.md (Intervals of one launch), with 25 to 500 samples.
 */
const unseen = { always: 2, perExcess: 30, most: 2.5 };
/**
 * Lowest tau (variance inflation by autocorrelation) that is assumed, because a short series cannot prove a lower one.
 * `minTauAlternating` is for series in which slow and fast samples alternate, `minTauOfPairs` for the series of sums of two
 * neighbouring samples.
 */
const minTau = 0.3;
const minTauAlternating = 0.1;
const minTauOfPairs = 0.5;
/** Samples count as alternating slow and fast if the correlation of neighbours is this many standard errors below 0. */
const opposed = 2;
const minSamples = 12;
/**
 * Slow drift is ignored up to this ratio of the half width computed from the medians of blocks to that computed from single
 * samples, because without drift the ratio may be 1.3.
 */
const driftFactor = 1.3;

export interface MedianInterval {
  /** Median of the samples; `low` and `high` are the ends of its 95 % interval, in the unit of the samples. */
  median: number;
  low: number;
  high: number;
  /**
   * Number of independent samples that would give the same precision: lower than the number of samples if these are autocorrelated,
   * never higher.
   */
  effective: number;
}

/**
 * Returns tau, the factor by which autocorrelation enlarges the variance of a median. It is computed from the signs around the
 * median, which ignore how far out outliers are. If operations alternate between two buffers, slow and fast samples alternate; the
 * sum of autocorrelations then does not converge. In this case tau is that of the sums of pairs, multiplied by 1 + r, with r the
 * correlation of neighbouring signs.
 * @param x samples in time order
 * @returns 0.3 or more; 0.1 or more if slow and fast samples alternate; 1 without samples
 */
export function signTau(x: readonly number[]): number {
  return signTauWithExcess(x).tau;
}

/**
 * Computes tau for signTau(), the factor by which autocorrelation enlarges the variance of a median, from the signs around the
 * median. Sums of neighbouring pairs are used only if slow and fast samples alternate.
 * @param x samples in time order
 * @returns tau, and by how much the tau of the series used (single signs or sums of pairs) exceeds 1, at least 0
 */
function signTauWithExcess(x: readonly number[]): { tau: number; excess: number } {
  const n = x.length;
  if (n === 0) return { tau: 1, excess: 0 };
  const middle = median([...x]);
  const signs = x.map((value) => Math.sign(value - middle));
  const next = correlations(signs)(1);
  if (next >= -opposed / Math.sqrt(n)) {
    const tau = Math.max(minTau, monotoneTau(signs));
    return { tau, excess: Math.max(0, tau - 1) };
  }
  const pairs = Array.from(
    { length: Math.floor(n / 2) },
    (_, i) => (signs[2 * i] as number) + (signs[2 * i + 1] as number),
  );
  const ofPairs = Math.max(minTauOfPairs, monotoneTau(pairs));
  return { tau: Math.max(minTauAlternating, (1 + next) * ofPairs), excess: Math.max(0, ofPairs - 1) };
}

/**
 * Returns a function that gives the autocorrelation of the series at a lag (distance in samples); it gives 0 if all values are
 * equal.
 */
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

/**
 * Returns the autocorrelation time of a series by Geyer's initial monotone sequence (1992). Pairs of autocorrelations (lags 0 and
 * 1, 2 and 3, ...) are added while above 0, each limited to the pair before it. The result is 2 times the sum, minus 1.
 */
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

/**
 * Returns tau increased for the dependence that a short series cannot show (`unseen`).
 * @param tau result of signTau(), from n samples
 * @param excess by how much the tau of the series used exceeds 1
 */
export function cautiousTau(tau: number, n: number, excess = Math.max(0, tau - 1)): number {
  const { always, perExcess, most } = unseen;
  return tau * Math.min(most, 1 + (always + perExcess * excess) / n);
}

/**
 * Largest half width of a median's interval, counted in sorted samples as a share of all: at 0.5 the interval is from the lowest to
 * the highest sample.
 */
export const maxMedianHalf = 0.5;

/**
 * Largest probable distance of the median of one launch from the true median, counted in sorted samples. A single sample cannot
 * enlarge it, however long it takes.
 */
export interface MedianUncertainty {
  /**
   * Distance to each side of the median, as a share of all samples: 0.1 is from the 40th to the 60th percentile, 0.5
   * (`maxMedianHalf`) is all of them. Null if a 95 % interval is not possible.
   */
  share: number | null;
  /**
   * Additional share upwards for a launch that is the only one, because it may by chance have met fewer stalls than usual
   * (stallDoubt()).
   */
  missed: number;
  /**
   * Number of independent samples that would give the same precision: lower than the number of samples if these are autocorrelated,
   * never higher.
   */
  effective: number;
}

/**
 * Returns how far the median of a launch may be from the true one, counted in sorted samples. The number of samples below the true
 * median is binomial (David and Nagaraja, Order Statistics, 2003, 7.1); its variance n/4 grows by tau if samples depend on one
 * another. A stalled sample moves the median by one place in the sorted samples, however long it takes.
 * @param x samples in time order, any positive unit
 * @param blocks number of samples of each block in `x`; with 8 blocks or more, slow drift between them is included
 * @param z quantile of the normal distribution: intervalZ, or sequentialZ if sampling went on until the interval was narrow enough
 */
export function medianDoubt(
  x: readonly number[],
  blocks: readonly number[] = [],
  z = intervalZ,
): MedianUncertainty {
  const n = x.length;
  if (n < minSamples) return { share: null, missed: 0, effective: n };
  const { tau, excess } = signTauWithExcess(x);
  const effective = n / Math.max(1, tau);
  if (effective < minEffectiveSamples) return { share: null, missed: 0, effective };
  const { deviation, missed } = stallDoubt(x);
  const byRanks = Math.hypot((z * Math.sqrt(cautiousTau(tau, n, excess) / n)) / 2, z * deviation);
  const byDrift = driftShare(x, blocks);
  const share = byDrift > driftFactor * byRanks ? byDrift : byRanks;
  return { share: Math.min(maxMedianHalf, share), missed, effective };
}

/**
 * Returns the 95 % interval of the median of one launch from order statistics, corrected for autocorrelation (medianDoubt()). It is
 * interpolated between neighbouring sorted samples, since whole places would make it too wide. The upper end reaches further up in
 * the sorted samples (`missed` of medianDoubt()), for stalls that this launch by chance did not meet. The interval is not valid for
 * other launches. It lies within the samples, except for the clock's resolution. Simulated coverage: docs/truth.md.
 * @param x samples in time order
 * @param halfQuantum minimum reach to each side, in the unit of `x`: half the clock's resolution, divided by the batch
 * @param blocks number of samples of each block in `x`; with 8 blocks or more, slow drift between them widens the interval
 * @param z quantile of the normal distribution: intervalZ, or sequentialZ if sampling went on until the interval was narrow enough
 * @returns null if a 95 % interval is not possible: fewer than 12 samples, or fewer than 6 effective ones
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

/**
 * Returns the two sorted values at given distances below and above the median.
 * @param sorted samples in ascending order
 * @param below distance as a share of all samples, like `above`; from 0.5 on the minimum and maximum
 */
export function medianNeighbours(sorted: readonly number[], below: number, above = below): [number, number] {
  const most = (sorted.length - 1) / 2;
  const ranks = (share: number): number => Math.min(most, share * sorted.length);
  return [atRank(sorted, most - ranks(below)), atRank(sorted, most + ranks(above))];
}

/**
 * Returns the value at a position (`rank`) in an ascending list; 0 is the first value, 2.5 lies half-way between the third and the
 * fourth.
 */
function atRank(sorted: readonly number[], rank: number): number {
  const below = Math.floor(rank);
  const from = sorted[below] as number;
  return from + (rank - below) * ((sorted[below + 1] ?? from) - from);
}

/**
 * Returns the half width of the 95 % t interval over blocks, as a share of all samples; 0 with fewer than 8 blocks. The value of a
 * block is the share of all samples that are below the block's median. Shares replace times, so that a fully stalled block counts
 * only as a slow one.
 * @param x samples in time order
 * @param blocks number of samples of each block in `x`
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

/** Returns how many values of an ascending list are below `limit`; with `orEqual` below or equal to it. */
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
