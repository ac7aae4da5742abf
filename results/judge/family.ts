// The rule by which a change counts, whatever it is seen against: another run (results/compare), an anchor or a baseline
// (results/baseline), the nights before (results/history). It is certain enough, and it is large enough.
import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { minimumDetectableEffect } from './detectable.ts';
import type { Difference } from './difference.ts';

export interface JudgeRule {
  /** Smallest change that counts, relative. */
  threshold: number;
  /** Share of what is called changed that may be so by chance. */
  falseDiscovery: number;
}

/** How two sides of one thing differ; null where that cannot be tested. */
export interface FamilyTest {
  difference: Difference | null;
  launches: readonly [number, number];
}

export interface FamilyFinding extends Difference {
  adjustedP: number;
  /** Of one launch. */
  variance: number;
  /** Smallest relative change that would have been found in 4 of 5 such tests; Infinity where it cannot be told. */
  detectable: number;
  change: 'faster' | 'slower' | null;
}

/** @param shift in log time; above 0 is slower */
export function changeOf(
  shift: number,
  { p, mostP, smallest }: { p: number; mostP: number; smallest: number },
): FamilyFinding['change'] {
  if (p > mostP || Math.abs(shift) < smallest) return null;
  return shift > 0 ? 'slower' : 'faster';
}

/** Judges a family of things that were tested together: the more of them, the more certain each must be. */
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
      change: changeOf(difference.difference, { p: adjustedP, mostP: falseDiscovery, smallest }),
    };
  });
}
