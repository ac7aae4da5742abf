import { studentQuantile } from '../derive/statistics/student.ts';

export interface DetectableInput {
  /** Of log launch medians, moderated or not, and the degrees of freedom it is known with. */
  variance: number;
  degrees: number;
  /** Launches of either side. */
  launches: readonly [number, number];
  /** Significance of a single test; of Benjamini & Hochberg with one true effect, q over the number of tests. */
  alpha: number;
  /** A change must look at least so large (log time) to be called one; 0 = none. */
  floor?: number;
  /** Probability of being found. */
  power?: number;
}

/**
 * Smallest change that such a comparison finds with probability `power` (stats.md 3.4):
 * (t(1 - alpha/2) + t(power)) s sqrt(1/r_a + 1/r_b), and not less than what passes the floor as often.
 * @returns relative: 0.05 is 5 % slower; Infinity where nothing is known of the scatter
 */
export function minimumDetectableEffect({
  variance,
  degrees,
  launches: [a, b],
  alpha,
  floor = 0,
  power = 0.8,
}: DetectableInput): number {
  if (!(degrees > 0)) return Number.POSITIVE_INFINITY;
  const standardError = Math.sqrt(variance * (1 / a + 1 / b));
  const significant = studentQuantile(1 - alpha / 2, degrees) * standardError;
  return Math.expm1(Math.max(significant, floor) + studentQuantile(power, degrees) * standardError);
}
