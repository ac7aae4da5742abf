import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { minimumDetectableEffect } from './detectable.ts';
import { type Difference, launchVariance } from './difference.ts';

/** When a difference is a change: hardly by chance, and large enough to count. */
export interface Bar {
  /** Largest p. */
  p: number;
  /** Smallest difference, log. */
  smallest: number;
}

export const isChange = ({ p, difference }: Pick<Difference, 'p' | 'difference'>, bar: Bar): boolean =>
  p <= bar.p && Math.abs(difference) >= bar.smallest;

/** One of several things that are tested together. */
export interface Test {
  /** Null = it cannot be told. */
  difference: Difference | null;
  /** Of either side. */
  launches: readonly [number, number];
}

export interface Rule {
  /** Relative: a smaller change is none. */
  threshold: number;
  falseDiscovery: number;
}

/** What follows for one of them. */
export interface Decided {
  difference: Difference;
  /** After Benjamini & Hochberg over all that could be tested. */
  adjustedP: number;
  /** Of one launch, log. */
  variance: number;
  /** Smallest change that would have been found in 4 of 5 such comparisons, relative. */
  detectable: number;
  /** Null: it is not shown that anything changed; which does not mean that nothing did. */
  change: 'slower' | 'faster' | null;
}

/**
 * The decision on each of a family of tests, whatever they are compared with (references.ts): a change is what Benjamini &
 * Hochberg keep, if it is beyond the threshold, too.
 * @returns in the order of the tests; null where there is no difference to judge
 */
export function decideAll(tests: readonly Test[], { threshold, falseDiscovery }: Rule): (Decided | null)[] {
  const known = tests.flatMap(({ difference }) => difference ?? []);
  const adjusted = benjaminiHochberg(known.map(({ p }) => p));
  const alpha = falseDiscovery / Math.max(1, known.length);
  const bar: Bar = { p: falseDiscovery, smallest: Math.log1p(threshold) };
  let next = 0;
  return tests.map(({ difference, launches }) => {
    if (difference === null) return null;
    const adjustedP = adjusted[next++] as number;
    const variance = launchVariance(difference, launches);
    const { degrees } = difference;
    const isOne = isChange({ ...difference, p: adjustedP }, bar);
    return {
      difference,
      adjustedP,
      variance,
      detectable: minimumDetectableEffect({ variance, degrees, launches, alpha, floor: bar.smallest }),
      change: isOne ? (difference.difference > 0 ? 'slower' : 'faster') : null,
    };
  });
}
