import { median, medianSorted } from 'simple-statistics';
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
export const soughtZ = 2.05;

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
/** Without drift block medians reach as far as the order statistics, give or take this. */
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
  const n = x.length;
  if (n === 0) return 1;
  const middle = median([...x]);
  const signs = x.map((value) => Math.sign(value - middle));
  const next = correlations(signs)(1);
  if (next >= -opposed / Math.sqrt(n)) return Math.max(leastTau, monotoneTau(signs));
  const pairs = Array.from(
    { length: Math.floor(n / 2) },
    (_, i) => (signs[2 * i] as number) + (signs[2 * i + 1] as number),
  );
  return Math.max(leastInTurns, (1 + next) * Math.max(leastOfPairs, monotoneTau(pairs)));
}

/** Autocorrelation by lag; 0 where nothing varies. */
function correlations(series: readonly number[]): (lag: number) => number {
  const mean = series.reduce((sum, s) => sum + s, 0) / series.length;
  const centred = series.map((s) => s - mean);
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

/** What tau is taken for. @param tau of signTau(), from n samples */
export function cautiousTau(tau: number, n: number): number {
  const { always, perExcess, most } = unseen;
  return tau * Math.min(most, 1 + (always + perExcess * Math.max(0, tau - 1)) / n);
}

/**
 * 95 % interval of the median of one launch from order statistics, corrected for autocorrelation (stats.md 2.2 look()),
 * interpolated between neighbours, since whole ranks would make it wider than it need be. It says nothing about another
 * launch. Simulated coverage stands in docs/truth.md.
 * @param x      samples in time order, any positive unit
 * @param halfQuantum the interval reaches at least so far to each side: half the timer quantum, over the batch
 * @param blocks sizes of the blocks `x` was taken in; from 8 blocks on slow drift that shows between them widens the interval
 * @param z      soughtZ where these samples were taken until the interval was narrow enough
 * @returns null where 95 % cannot be had: fewer than 12 samples, or worth fewer than 6 independent ones
 */
export function medianInterval(
  x: readonly number[],
  halfQuantum: number,
  blocks: readonly number[] = [],
  z = intervalZ,
): MedianInterval | null {
  const n = x.length;
  if (n < fewestSamples) return null;
  const tau = signTau(x);
  const effective = n / Math.max(1, tau);
  if (effective < fewestEffective) return null;
  const sorted = [...x].sort((a, b) => a - b);
  const middle = medianSorted(sorted);
  const half = Math.min((n - 1) / 2, (z * Math.sqrt(n * cautiousTau(tau, n))) / 2);
  const [low, high] = [atRank(sorted, (n - 1) / 2 - half), atRank(sorted, (n - 1) / 2 + half)];
  const drift = driftReach(x, blocks);
  const reach = Math.max(halfQuantum, drift > (driftFactor * (high - low)) / 2 ? drift : 0);
  return {
    median: middle,
    low: Math.min(low, middle - reach),
    high: Math.max(high, middle + reach),
    effective,
  };
}

/** @param rank from 0, between two of them linear */
function atRank(sorted: readonly number[], rank: number): number {
  const below = Math.floor(rank);
  const from = sorted[below] as number;
  return from + (rank - below) * ((sorted[below + 1] ?? from) - from);
}

/** Half width of the t interval over block medians; 0 with fewer than 8 blocks. */
function driftReach(x: readonly number[], blocks: readonly number[]): number {
  const used = blocks.filter((size) => size > 0);
  if (used.length < 8) return 0;
  let from = 0;
  const medians = used.map((size) => {
    const part = x.slice(from, from + size);
    from += size;
    return median(part);
  });
  const mean = medians.reduce((sum, m) => sum + m, 0) / medians.length;
  const variance = medians.reduce((sum, m) => sum + (m - mean) ** 2, 0) / (medians.length - 1);
  return studentQuantile(0.975, medians.length - 1) * Math.sqrt(variance / medians.length);
}
