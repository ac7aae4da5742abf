import type { VariancePrior } from '../derive/launches.ts';

/** Log time between nights where nothing was learned: 1 %, and little trust in it (stats.md 3.3 assumes as much). */
const assumed: VariancePrior = { variance: 0.01 ** 2, degrees: 10 };
/** What the assumption counts for beside what was learned: two nights that happen to be alike show no more than that. */
const degreesBeside = 3;

/**
 * The scatter between nights that the gate counts with: what was learned, moderated (Smyth 2004) by what is assumed.
 * @param learned null = nothing was learned
 */
export function nightScatter(learned: VariancePrior | null): VariancePrior {
  if (learned === null) return assumed;
  const degrees = degreesBeside + learned.degrees;
  const variance = (degreesBeside * assumed.variance + learned.degrees * learned.variance) / degrees;
  return { variance, degrees };
}
