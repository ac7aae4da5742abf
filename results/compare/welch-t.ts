import { type Difference, differenceOf, meanOf, varianceOf } from './difference.ts';

/**
 * Test of Welch (Biometrika 34, 1947): two means, variances that may differ, nothing known beforehand. Degrees of freedom
 * after Satterthwaite.
 * @param a, b log launch medians, two or more of each
 * @throws {RangeError} fewer
 */
export function welchT(a: readonly number[], b: readonly number[]): Difference {
  if (a.length < 2 || b.length < 2) {
    throw new RangeError(`Welch's test needs two launches on each side, got ${a.length} and ${b.length}`);
  }
  const [ofA, ofB] = [varianceOf(a) / a.length, varianceOf(b) / b.length];
  const both = ofA + ofB;
  const degrees =
    both > 0 ? both ** 2 / (ofA ** 2 / (a.length - 1) + ofB ** 2 / (b.length - 1)) : a.length + b.length - 2;
  return differenceOf(meanOf(b) - meanOf(a), Math.sqrt(both), degrees);
}
