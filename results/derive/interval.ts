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

/**
 * z of the interval. Larger than 1.96: the margin pays for looking repeatedly while sampling and for estimating tau
 * from the same samples (stats.md 2.2: true coverage 93.5 to 99.9 %).
 */
export const intervalZ = 2.24;

export interface MedianInterval {
  median: number;
  low: number;
  high: number;
  /** n / tau: samples that independent ones would have to be as many of. */
  effective: number;
}

/**
 * Variance inflation by autocorrelation, from the series of signs around the median (stats.md 2.2): signs carry the
 * dependence that moves a median and are deaf to outliers. Pairs of autocorrelations are added while their sum is
 * positive (Geyer 1992, initial positive sequence). Never below 1 + 10/n, as a short series cannot prove independence.
 * @param x samples in time order
 */
export function signTau(x: readonly number[]): number {
  const n = x.length;
  if (n === 0) return 1;
  const middle = median([...x]);
  const signs = x.map((value) => Math.sign(value - middle));
  const mean = signs.reduce((sum, s) => sum + s, 0) / n;
  const centred = signs.map((s) => s - mean);
  const variance = centred.reduce((sum, s) => sum + s * s, 0);
  const correlation = (lag: number): number => {
    let sum = 0;
    for (let i = lag; i < n; i += 1) sum += (centred[i] as number) * (centred[i - lag] as number);
    return variance === 0 ? 0 : sum / variance;
  };
  const longest = Math.min(n / 4, 60);
  let tau = 1;
  for (let k = 1; k <= longest; k += 2) {
    const pair = correlation(k) + correlation(k + 1);
    if (pair <= 0) break;
    tau += 2 * pair;
  }
  return Math.max(tau, 1 + 10 / n);
}

/**
 * 95 % interval of the median of one launch from order statistics, corrected for autocorrelation (stats.md 2.2 look()).
 * It says nothing about another launch.
 * @param x      samples in time order, any positive unit
 * @param halfQuantum the interval reaches at least so far to each side: half the timer quantum, over the batch
 * @param blocks sizes of the blocks `x` was taken in; from 8 blocks on slow drift between them widens the interval
 * @returns null when there are too few samples for the order statistics to exist (fewer than 12, more if correlated)
 */
export function medianInterval(
  x: readonly number[],
  halfQuantum: number,
  blocks: readonly number[] = [],
): MedianInterval | null {
  const n = x.length;
  if (n === 0) return null;
  const sorted = [...x].sort((a, b) => a - b);
  const middle = medianSorted(sorted);
  const tau = signTau(x);
  const lo = Math.floor((n + 1) / 2 - (intervalZ * Math.sqrt(n * tau)) / 2);
  if (lo < 1) return null;
  const reach = Math.max(halfQuantum, driftReach(x, blocks));
  return {
    median: middle,
    low: Math.min(sorted[lo - 1] as number, middle - reach),
    high: Math.max(sorted[n - lo] as number, middle + reach),
    effective: n / tau,
  };
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
