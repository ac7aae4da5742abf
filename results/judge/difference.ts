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

/** 95 % t interval. */
export function intervalAround(centre: number, standardError: number, degrees: number) {
  const half = studentQuantile(0.975, degrees) * standardError;
  return { low: centre - half, high: centre + half };
}

/** The t test and t interval that follow from a standard error. One of 0, where nothing ever varied, leaves no doubt. */
export function differenceOf(difference: number, standardError: number, degrees: number): Difference {
  const p = standardError > 0 ? studentP(difference / standardError, degrees) : difference === 0 ? 1 : 0;
  return { difference, standardError, degrees, p, ...intervalAround(difference, standardError, degrees) };
}

/** Variance of one launch that such a difference goes with. @param launches of either side */
export const launchVariance = ({ standardError }: Difference, [a, b]: readonly [number, number]): number =>
  standardError ** 2 / (1 / a + 1 / b);
