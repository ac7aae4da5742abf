import { mean } from 'simple-statistics';
import { type Difference, differenceOf, sumVariances, varianceOf } from './difference.ts';

/**
 * Test of Welch (Biometrika 34, 1947) for two means with possibly different variances and no prior. Degrees of freedom
 * after Satterthwaite.
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
