import { sampleVariance } from 'simple-statistics';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { studentP, studentQuantile } from '../derive/statistics/student.ts';

/**
 * How two sets of launches differ. Values are logarithms, so that 0.05 is 5 %; above 0 the second is larger, which for
 * times means slower.
 */
export interface Difference {
  /** Mean of the second minus mean of the first. */
  difference: number;
  standardError: number;
  degrees: number;
  /** Two-sided, of no difference. */
  p: number;
  /** 95 % interval of `difference`. */
  low: number;
  high: number;
}

/** Found by bisection: kept, since comparisons mostly have the same numbers of launches. */
const quantiles = new Map<number, number>();

/** Of the 95 % interval. */
export function quantile975(degrees: number): number {
  const known = quantiles.get(degrees) ?? studentQuantile(0.975, degrees);
  if (Number.isInteger(degrees)) quantiles.set(degrees, known);
  return known;
}

/** Variances of two independent things as that of their sum, and its degrees (Satterthwaite, Biometrics Bull. 2, 1946). */
export function sumVariances(a: VariancePrior, b: VariancePrior): VariancePrior {
  const variance = a.variance + b.variance;
  const degrees =
    variance > 0
      ? variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees)
      : a.degrees + b.degrees;
  return { variance, degrees };
}

/** The t test and t interval that follow from a standard error. One of 0, where nothing ever varied, leaves no doubt. */
export function differenceOf(difference: number, standardError: number, degrees: number): Difference {
  const half = quantile975(degrees) * standardError;
  const p = standardError > 0 ? studentP(difference / standardError, degrees) : difference === 0 ? 1 : 0;
  return { difference, standardError, degrees, p, low: difference - half, high: difference + half };
}

/** Sample variance, n - 1 in the denominator; 0 of a single value. */
export const varianceOf = (values: readonly number[]): number =>
  values.length < 2 ? 0 : sampleVariance(values);
