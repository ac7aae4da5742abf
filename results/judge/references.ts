// What a candidate is compared with: another run of the same hour, or one of another night. (Earlier nights of a series are
// results/history/scan.ts: there it is not known beforehand which of them are before the change.)
import { moderate, type VariancePrior } from '../derive/launches.ts';
import type { Test } from './decide.ts';
import { type Difference, differenceOf } from './difference.ts';
import { pooledVariance, type Side, varianceOf } from './side.ts';

/**
 * Test of Welch (Biometrika 34, 1947): two means, variances that may differ, nothing known beforehand. Degrees of freedom
 * after Satterthwaite.
 * @throws {RangeError} fewer than two launches on a side
 */
export function welchT(a: Side, b: Side): Difference {
  if (a.launches < 2 || b.launches < 2) {
    throw new RangeError(`Welch's test needs two launches on each side, got ${a.launches} and ${b.launches}`);
  }
  const [ofA, ofB] = [varianceOf(a) / a.launches, varianceOf(b) / b.launches];
  const none = a.launches + b.launches - 2;
  const degrees = satterthwaite([ofA, a.launches - 1], [ofB, b.launches - 1], none);
  return differenceOf(b.mean - a.mean, Math.sqrt(ofA + ofB), degrees);
}

/**
 * Degrees of freedom of the sum of two variances (Satterthwaite, Biometrics Bulletin 2, 1946).
 * @param none where both are 0
 */
export function satterthwaite(
  [a, ofA]: readonly [variance: number, degrees: number],
  [b, ofB]: readonly [variance: number, degrees: number],
  none: number,
): number {
  const both = a + b;
  return both > 0 ? both ** 2 / (a ** 2 / ofA + b ** 2 / ofB) : none;
}

/**
 * Moderated t test (Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004; stats.md 3.2): the variance of few launches is held
 * together with what is known of it from elsewhere, s~^2 = (d0 s0^2 + d s^2) / (d0 + d) with d = r_a + r_b - 2, and t has
 * d0 + d degrees of freedom.
 * @param a, b one launch or more of each
 * @param prior s0^2 and d0; null gives Student's test with a common variance
 * @throws {RangeError} an empty side, or one launch each and nothing known
 */
export function moderatedT(a: Side, b: Side, prior: VariancePrior | null): Difference {
  const own = pooledVariance(a, b);
  const { variance, degrees } = moderate(own.variance, own.degrees, prior);
  if (a.launches === 0 || b.launches === 0 || !(degrees > 0)) {
    throw new RangeError(
      `a test needs launches on both sides and some idea of their scatter, got ${a.launches} and ${b.launches}`,
    );
  }
  const standardError = Math.sqrt(variance * (1 / a.launches + 1 / b.launches));
  return differenceOf(b.mean - a.mean, standardError, degrees);
}

/**
 * Against another run of the same hour. With fewer than two launches on a side it cannot be told: how launches scatter is then
 * not known from both.
 * @param prior what else is known of their scatter; null = nothing
 */
export function againstRun(base: Side, other: Side, prior: VariancePrior | null): Test {
  const launches = [base.launches, other.launches] as const;
  if (Math.min(...launches) < 2) return { difference: null, launches };
  return { difference: prior === null ? welchT(base, other) : moderatedT(base, other, prior), launches };
}

/**
 * Against a run of another night: the scatter of both sides' nights is added to that of their launches.
 * @param variance of the difference, and its degrees, as if both were of the same hour
 * @param night null = both are of the same night
 */
export function againstNight(
  difference: number,
  { variance, degrees }: VariancePrior,
  night: VariancePrior | null,
): Difference {
  const nights = night === null ? 0 : 2 * night.variance;
  const mixed =
    night === null || nights === 0
      ? degrees
      : satterthwaite([variance, degrees], [nights, night.degrees], degrees);
  return differenceOf(difference, Math.sqrt(variance + nights), mixed);
}
