import { mean } from 'simple-statistics';
import { moderateVariance, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { type Difference, differenceOf, varianceOf } from './difference.ts';

/**
 * Returns the pooled variance of the values in `a` and in `b`, each around its own mean, with its degrees of freedom. Both are 0 if
 * each list has one value.
 */
export function pooledVariance(a: readonly number[], b: readonly number[]): VariancePrior {
  const degrees = a.length + b.length - 2;
  const sum = (a.length - 1) * varianceOf(a) + (b.length - 1) * varianceOf(b);
  return { variance: degrees > 0 ? sum / degrees : 0, degrees };
}

/**
 * Tests whether two sets of launches differ by a moderated t test (Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004). The variance s^2
 * of few launches is combined with a prior: s~^2 = (d0 s0^2 + d s^2) / (d0 + d) with d = r_a + r_b - 2 for r_a and r_b launches.
 * t has d0 + d degrees of freedom.
 * @param a, b log launch medians, one or more of each
 * @param prior s0^2 and d0; null gives Student's test with a common variance
 * @returns the test of the `difference`, the mean of `b` minus the mean of `a`: above 0, `b` is slower
 * @throws {RangeError} if a side is empty, or with one launch each and no prior
 */
export function moderatedT(
  a: readonly number[],
  b: readonly number[],
  prior: VariancePrior | null,
): Difference {
  const own = pooledVariance(a, b);
  const { variance, degrees } = moderateVariance(own.variance, own.degrees, prior);
  if (a.length === 0 || b.length === 0 || !(degrees > 0)) {
    throw new RangeError(
      `a test needs launches on both sides and some idea of their scatter, got ${a.length} and ${b.length}`,
    );
  }
  const standardError = Math.sqrt(variance * (1 / a.length + 1 / b.length));
  return differenceOf(mean(b) - mean(a), standardError, degrees);
}
