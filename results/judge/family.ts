// Decides which changes are reported, by one rule for comparisons with another run (results/compare), with an anchor or a baseline
// (results/baseline) and with earlier nights (results/history). A change must be certain enough and large enough.
import { minimumDetectableEffect } from './detectable.ts';
import type { Difference } from './difference.ts';

export interface JudgeRule {
  /** Smallest relative change that is reported: 0.02 = 2 %. */
  threshold: number;
  /** Highest expected share of false alarms among the reported changes: 0.05 = 5 %. */
  falseDiscovery: number;
}

/**
 * One of several differences in time that are tested together. `launches`: number of launches of the reference, then of the judged
 * side. `difference` is null if it cannot be tested, for example with one launch.
 */
export interface FamilyTest {
  difference: Difference | null;
  launches: readonly [number, number];
}

export interface FamilyFinding extends Difference {
  /** p-value adjusted for the number of tests that are judged together (benjaminiHochberg()). */
  adjustedP: number;
  /** Variance of the log of one launch's median time, computed back from the standard error of the difference. */
  variance: number;
  /** Smallest relative change (0.05 = 5 %) that this test detects with probability 0.8; Infinity without degrees of freedom. */
  detectable: number;
  /** Direction of the change; null if it is not certain enough or too small to be reported. */
  change: 'faster' | 'slower' | null;
}

/**
 * Returns the direction of a change that is certain (`p` at most `maxP`) and large enough; otherwise null.
 * @param shift change in log time; above 0 is slower
 * @param smallest smallest change that is reported, in log time
 */
export function changeOf(
  shift: number,
  { p, maxP, smallest }: { p: number; maxP: number; smallest: number },
): FamilyFinding['change'] {
  if (p > maxP || Math.abs(shift) < smallest) return null;
  return shift > 0 ? 'slower' : 'faster';
}

/**
 * Judges changes that are tested together: one is reported if its adjusted p-value is at most `falseDiscovery`, and its size at
 * least `threshold`. The more tests there are, the more certain each change must be, so that chance alone rarely reports one.
 * @returns findings in the order of `tests`; null for a test without a difference
 */
export function judgeFamily(
  tests: readonly FamilyTest[],
  { threshold, falseDiscovery }: JudgeRule,
): (FamilyFinding | null)[] {
  const adjusted = benjaminiHochberg(tests.flatMap(({ difference }) => difference?.p ?? []));
  const alpha = falseDiscovery / Math.max(1, adjusted.length);
  const smallest = Math.log1p(threshold);
  let next = 0;
  return tests.map(({ difference, launches }): FamilyFinding | null => {
    if (difference === null) return null;
    const adjustedP = adjusted[next++] ?? 1;
    const { degrees, standardError } = difference;
    const variance = standardError ** 2 / (1 / launches[0] + 1 / launches[1]);
    return {
      ...difference,
      adjustedP,
      variance,
      detectable: minimumDetectableEffect({ variance, degrees, launches, alpha, floor: smallest }),
      change: changeOf(difference.difference, { p: adjustedP, maxP: falseDiscovery, smallest }),
    };
  });
}

/**
 * Returns the adjusted p-values of Benjamini & Hochberg (J. R. Stat. Soc. B 57, 1995). If all tests with an adjusted value up to q
 * are accepted, at most a share q of these is expected to be false. This also holds for positively dependent tests, such as sizes
 * of the same launches (Benjamini & Yekutieli 2001).
 * @param p in any order, each 0 to 1
 * @returns adjusted values in the order of `p`
 * @throws {RangeError} if a value is outside 0 to 1
 */
export function benjaminiHochberg(p: readonly number[]): number[] {
  const bad = p.find((value) => !(value >= 0 && value <= 1));
  if (bad !== undefined) throw new RangeError(`p must lie between 0 and 1, got ${bad}`);
  const order = p.map((value, index) => ({ value, index })).sort((a, b) => b.value - a.value);
  const adjusted = new Array<number>(p.length);
  let least = 1;
  order.forEach(({ value, index }, from) => {
    least = Math.min(least, (value * p.length) / (p.length - from));
    adjusted[index] = least;
  });
  return adjusted;
}
