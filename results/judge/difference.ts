import { sampleVariance } from 'simple-statistics';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { studentP, studentQuantile } from '../derive/statistics/student.ts';

/**
 * Difference between two sets of launches. Values are logarithms, so that 0.05 is 5 %. Above 0 the second set is larger,
 * which means slower for times.
 */
export interface Difference {
  /** Mean of the second minus mean of the first. */
  difference: number;
  standardError: number;
  degrees: number;
  /** Two-sided p-value of the hypothesis that there is no difference. */
  p: number;
  /** 95 % interval of `difference`. */
  low: number;
  high: number;
}

/** Cache of quantiles. They are found by iteration, and comparisons mostly have the same numbers of launches. */
const quantiles = new Map<number, number>();

/** Quantile of Student's t for a 95 % interval. */
export function quantile975(degrees: number): number {
  const known = quantiles.get(degrees) ?? studentQuantile(0.975, degrees);
  if (Number.isInteger(degrees)) quantiles.set(degrees, known);
  return known;
}

/** Variance of a sum of two independent values, and its degrees of freedom (Satterthwaite, Biometrics Bull. 2, 1946). */
export function sumVariances(a: VariancePrior, b: VariancePrior): VariancePrior {
  const variance = a.variance + b.variance;
  const degrees =
    variance > 0
      ? variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees)
      : a.degrees + b.degrees;
  return { variance, degrees };
}

/** The t test and t interval for a standard error. A standard error of 0 (constant values) makes any difference certain. */
export function differenceOf(difference: number, standardError: number, degrees: number): Difference {
  const half = quantile975(degrees) * standardError;
  const p = standardError > 0 ? studentP(difference / standardError, degrees) : difference === 0 ? 1 : 0;
  return { difference, standardError, degrees, p, low: difference - half, high: difference + half };
}

/** Sample variance, n - 1 in the denominator; 0 for a single value. */
export const varianceOf = (values: readonly number[]): number =>
  values.length < 2 ? 0 : sampleVariance(values);
