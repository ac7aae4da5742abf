import { studentP, studentQuantile } from '../derive/student.ts';

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

/** The t test and t interval that follow from a standard error. One of 0, where nothing ever varied, leaves no doubt. */
export function differenceOf(difference: number, standardError: number, degrees: number): Difference {
  const half = studentQuantile(0.975, degrees) * standardError;
  const p = standardError > 0 ? studentP(difference / standardError, degrees) : difference === 0 ? 1 : 0;
  return { difference, standardError, degrees, p, low: difference - half, high: difference + half };
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sample variance, n - 1 in the denominator; 0 of a single value. */
export function varianceOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
