import { mean, sampleVariance } from 'simple-statistics';
import { studentQuantile } from './student.ts';

/**
 * A variance of log times between launches, runs or nights, with its degrees of freedom: the weight that it has when variances are
 * combined.
 */
export interface VariancePrior {
  variance: number;
  degrees: number;
}

export interface LaunchInterval {
  /** Geometric mean of the launches' median times, ns. */
  centreNs: number;
  /** Lower end of the 95 % interval of `centreNs`; `highNs` is the upper one. */
  lowNs: number;
  highNs: number;
  /** Standard deviation of log time between launches; 0.01 is about 1 %. */
  deviation: number;
}

/**
 * Exponent by which a prior loses weight for a size noisier than the prior: its degrees are multiplied by this power of the ratio
 * of variances (docs/truth.md).
 */
const fading = 8;

/**
 * Returns the variance of log launch medians, and its degrees of freedom. A variance below the prior's is moderated: (d0 s0^2 +
 * (r-1) s^2) / (d0 + r-1) on d0 + r-1 degrees (Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004), with d0, s0^2 of the prior and r
 * launches of variance s^2. A size above the prior keeps its own variance, because it may truly be noisier than the others. Its
 * degrees then fade from d0 + r-1 towards r-1: d0 is multiplied by (s0^2 / s^2) ^ `fading`. Without a prior, the launches' own
 * variance and degrees are returned.
 * @param mediansNs one per launch, two at least, positive
 * @param inflation factor by which the variance of the mean is larger because successive launches are alike (launchInflation()); 1
 * = independent. With it s^2 is multiplied by varianceLost(), and its degrees are r / inflation - 1 (1 at least) instead of r-1.
 * The returned variance is that of one launch, so the caller must multiply it by inflation / r for the variance of the mean
 */
export function launchVariance(
  mediansNs: readonly number[],
  prior: VariancePrior | null,
  inflation = 1,
): VariancePrior {
  const own = {
    variance: logVariance(mediansNs) * varianceLost(mediansNs.length, inflation),
    degrees: Math.max(1, mediansNs.length / inflation - 1),
  };
  if (prior === null || own.variance <= prior.variance)
    return moderateVariance(own.variance, own.degrees, prior);
  const kept = prior.degrees * (prior.variance / own.variance) ** fading;
  return { ...own, degrees: own.degrees + kept };
}

/**
 * Returns the 95 % t interval over the log medians of r >= 2 launches, with the variance of launchVariance(). Its
 * observations are launches, not samples, because launches differ more than their samples (Hunold and Carpen-Amarie, arXiv
 * 1505.07734, 2015).
 * @param mediansNs one per launch, positive
 * @param prior variance known from other sizes; null = none
 * @param inflation as for launchVariance()
 * @throws {RangeError} with fewer than two launches
 */
export function tInterval(
  mediansNs: readonly number[],
  prior: VariancePrior | null = null,
  inflation = 1,
): LaunchInterval {
  const r = mediansNs.length;
  if (r < 2) throw new RangeError(`an interval over launches needs at least 2, got ${r}`);
  const centre = mean(mediansNs.map(Math.log));
  const { variance, degrees } = launchVariance(mediansNs, prior, inflation);
  const half = studentQuantile(0.975, degrees) * Math.sqrt((variance * inflation) / r);
  return {
    centreNs: Math.exp(centre),
    lowNs: Math.exp(centre - half),
    highNs: Math.exp(centre + half),
    deviation: Math.sqrt(variance),
  };
}

/**
 * Returns the factor by which the sample variance must be multiplied if successive launches are alike: their values stay closer to
 * their own mean than to the true one, so the sample variance is too small.
 * @param launches number of launches
 * @param inflation factor by which the variance of the mean of launches is larger because successive launches are alike
 */
export const varianceLost = (launches: number, inflation: number): number =>
  (launches - 1) / (launches - inflation);

/**
 * Returns the mean of a variance and the prior's, weighted by degrees of freedom (Smyth 2004), with the sum of their degrees.
 * @param prior null = the variance stays unchanged
 */
export function moderateVariance(
  variance: number,
  degrees: number,
  prior: VariancePrior | null,
): VariancePrior {
  if (prior === null) return { variance, degrees };
  const all = prior.degrees + degrees;
  return { variance: (prior.degrees * prior.variance + degrees * variance) / all, degrees: all };
}

/** Returns the sample variance (n - 1) of the logarithms. @param mediansNs median time of each launch, at least two */
export const logVariance = (mediansNs: readonly number[]): number => sampleVariance(mediansNs.map(Math.log));

/**
 * Returns the median of a chi-square with d degrees, divided by d, after Wilson & Hilferty 1931. Variances of few launches are
 * skewed, so the median of many such variances is the true variance times this factor.
 */
export const medianShare = (d: number): number => (1 - 2 / (9 * d)) ** 3;
