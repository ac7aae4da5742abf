import { mean, sampleVariance, sumNthPowerDeviations } from 'simple-statistics';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { studentP, studentQuantile } from '../derive/statistics/student.ts';

/**
 * Difference between two sets of launches, in log time: 0.05 is about 5 %. Above 0 the second set is larger, which means slower for
 * times.
 */
export interface Difference {
  /** Mean log time of the second set minus that of the first. */
  difference: number;
  standardError: number;
  degrees: number;
  /** Two-sided p-value of the hypothesis that there is no difference. */
  p: number;
  /** 95 % interval of `difference`, from `low` to `high`. */
  low: number;
  high: number;
}

/** Returns the variance of the sum of two independent values, with its degrees of freedom by Satterthwaite (1946). */
export function sumVariances(a: VariancePrior, b: VariancePrior): VariancePrior {
  const variance = a.variance + b.variance;
  const degrees =
    variance > 0
      ? variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees)
      : a.degrees + b.degrees;
  return { variance, degrees };
}

/**
 * Returns the t test and 95 % interval of a difference, from its standard error and degrees of freedom. With standard error 0 (all
 * values of each side equal), p is 0 for any difference other than 0, and 1 for difference 0.
 */
export function differenceOf(difference: number, standardError: number, degrees: number): Difference {
  const half = studentQuantile(0.975, degrees) * standardError;
  const p = standardError > 0 ? studentP(difference / standardError, degrees) : difference === 0 ? 1 : 0;
  return { difference, standardError, degrees, p, low: difference - half, high: difference + half };
}

/** Sample variance, n - 1 in the denominator; 0 for fewer than two values. */
export const varianceOf = (values: readonly number[]): number =>
  values.length < 2 ? 0 : sampleVariance(values);

/**
 * Tests whether two means differ, by Welch (Biometrika 34, 1947): variances may be different, and no prior is used. Degrees of
 * freedom after Satterthwaite.
 * @param a, b log launch medians, two or more of each
 * @throws {RangeError} with fewer
 */
export function welchT(a: readonly number[], b: readonly number[]): Difference {
  if (a.length < 2 || b.length < 2) {
    throw new RangeError(`Welch's test needs two launches on each side, got ${a.length} and ${b.length}`);
  }
  const ofMean = (side: readonly number[]) => ({
    variance: varianceOf(side) / side.length,
    degrees: side.length - 1,
  });
  const { variance, degrees } = sumVariances(ofMean(a), ofMean(b));
  return differenceOf(mean(b) - mean(a), Math.sqrt(variance), degrees);
}

/** Sum of squared deviations from the mean. */
export const squaresOf = (values: readonly number[]): number => sumNthPowerDeviations(values, 2);

/**
 * Returns for each launch the mean log time over message sizes.
 * @param logs log times by [size][launch]
 * @param launches number of launches to use, from the first; every size must have as many
 */
export const meanPerLaunch = (logs: readonly (readonly number[])[], launches: number): number[] =>
  Array.from({ length: launches }, (_, launch) => mean(logs.map((size) => size[launch] as number)));

/** A change by at least this ratio of times (faster or slower) is reported, as `unconfirmed`, even if it is not certain. */
export const largeRatio = 1.5;

/** True if `ratio`, a ratio of times, is at least `largeRatio` or at most 1 / `largeRatio`. */
export const isLarge = (ratio: number): boolean => Math.abs(Math.log(ratio)) >= Math.log(largeRatio);

/**
 * Returns the lowest and highest ratio (not log ratio) of a launch of `other` to a launch of `base`, widened if necessary so that
 * the ratio of the two figures lies between them. Without launches both are that ratio.
 * @param base, other log times of launches; may be empty
 * @param ratio log ratio of the figures
 */
export function observedRange(
  base: readonly number[],
  other: readonly number[],
  ratio: number,
): [number, number] {
  if (base.length === 0 || other.length === 0) return [Math.exp(ratio), Math.exp(ratio)];
  const low = Math.min(...other) - Math.max(...base);
  const high = Math.max(...other) - Math.min(...base);
  return [Math.exp(Math.min(low, ratio)), Math.exp(Math.max(high, ratio))];
}
