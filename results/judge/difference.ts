import { sampleVariance } from 'simple-statistics';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { studentP, studentQuantile } from '../derive/statistics/student.ts';

/**
 * Difference between two sets of launches. Values are logarithms, so that 0.05 is 5 %. Above 0 the second set is larger,
 * which means slower for times.
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

/** Cache of 97.5 % quantiles of Student's t by degrees of freedom: iteration is slow, and most tests need the same ones. */
const quantiles = new Map<number, number>();

/** Returns the 97.5 % quantile of Student's t, the half width of a two-sided 95 % interval in standard errors. */
export function quantile975(degrees: number): number {
  const known = quantiles.get(degrees) ?? studentQuantile(0.975, degrees);
  if (Number.isInteger(degrees)) quantiles.set(degrees, known);
  return known;
}

/** Returns the variance of a sum of two independent values, with its degrees of freedom by Satterthwaite (1946). */
export function sumVariances(a: VariancePrior, b: VariancePrior): VariancePrior {
  const variance = a.variance + b.variance;
  const degrees =
    variance > 0
      ? variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees)
      : a.degrees + b.degrees;
  return { variance, degrees };
}

/**
 * Returns the t test and 95 % interval of a difference with this standard error. With standard error 0 (all values of each side
 * equal), p is 0 for any difference other than 0, and 1 for none.
 */
export function differenceOf(difference: number, standardError: number, degrees: number): Difference {
  const half = quantile975(degrees) * standardError;
  const p = standardError > 0 ? studentP(difference / standardError, degrees) : difference === 0 ? 1 : 0;
  return { difference, standardError, degrees, p, low: difference - half, high: difference + half };
}

/** Sample variance, n - 1 in the denominator; 0 for a single value. */
export const varianceOf = (values: readonly number[]): number =>
  values.length < 2 ? 0 : sampleVariance(values);
