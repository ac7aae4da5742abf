import { studentQuantile } from '../derive/statistics/student.ts';

export interface DetectableInput {
  /** Variance of the log of one launch's median time. `degrees`: degrees of freedom of this variance. */
  variance: number;
  degrees: number;
  /** Number of launches of each of the two compared sides. */
  launches: readonly [number, number];
  /**
   * Significance level of a single test. If many tests are judged together (Benjamini & Hochberg) and one change is real, it is the
   * false discovery rate divided by the number of tests.
   */
  alpha: number;
  /** Lowest measured change, in log time, that is reported as a change; absent or 0 = any change. */
  floor?: number;
  /** Probability with which the change must be detected; absent = 0.8. */
  power?: number;
}

/**
 * Returns the smallest change that a comparison finds with probability `power`: (t(1 - alpha/2) + t(power)) s sqrt(1/r_a +
 * 1/r_b) for r_a and r_b launches of standard deviation s, and at least the change that is measured above the floor with this
 * probability.
 * @returns relative: 0.05 is 5 % slower; Infinity if the scatter is unknown
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

/** Highest number of launches that is suggested to the user. */
export const maxLaunches = 100;

/**
 * Returns the lowest number of launches, from `low` on, that is enough; null if even 100 (`maxLaunches`) are not.
 * @param isEnough tells if a number of launches is enough; every number above one that is enough must be enough, too
 * @param low lowest number that is tried
 */
export function minLaunchesFor(isEnough: (launches: number) => boolean, low = 2): number | null {
  if (low > maxLaunches || !isEnough(maxLaunches)) return null;
  let [from, high] = [low, maxLaunches];
  while (from < high) {
    const middle = Math.floor((from + high) / 2);
    if (isEnough(middle)) high = middle;
    else from = middle + 1;
  }
  return from;
}
