// Checks intervals against their promises, row by row. Each broken promise is named and fails the benchmark.
import type { IntervalCoverage } from './coverage.ts';
import type { StalledCoverage } from './stalls.ts';

/** Accepted coverage of 95 % intervals. */
export const coverageBounds = { low: 0.93, high: 0.98 };
/** Maximum width of an interval, relative to that of an oracle. */
export const maxOracleRatio = 1.5;
/** Minimum share of figures with an interval where one is due. A launch of 200 samples with three bursts of 20 may have none. */
export const minIntervalShare = 0.8;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** @param isRough true = few repetitions, so only certain misses count */
function coverageMiss(
  { what, covered, shownShare = 1 }: Pick<IntervalCoverage, 'what' | 'covered' | 'shownShare'>,
  isRough: boolean,
): string[] {
  // The promise is lower for two-state profiles; it is met if it lies within the interval of the measured share.
  const isLimited = shownShare < coverageBounds.low;
  const share = isRough || isLimited ? covered.high : covered.share;
  const least = isLimited ? shownShare : coverageBounds.low;
  return share >= least ? [] : [`${what}: covers ${percent(covered.share)}, wanted ${percent(least)}`];
}

function stallMiss({ what, given, isDue, found }: StalledCoverage, isRough: boolean): string[] {
  const misses = found === null ? [] : coverageMiss({ what, covered: found.covered }, isRough);
  if (isDue && (isRough ? given.high : given.share) < minIntervalShare) {
    misses.push(`${what}: given in ${percent(given.share)}, wanted ${percent(minIntervalShare)}`);
  }
  const over = found === null ? 0 : found.halfWidth / found.oracle;
  if (!isRough && over > maxOracleRatio) {
    misses.push(`${what}: ${over.toFixed(2)} times the oracle, at most ${maxOracleRatio} is wanted`);
  }
  return misses;
}

/**
 * Texts about all broken promises.
 * @param isRough true = few repetitions: coverage counts only if it is certainly too low, widths do not count
 */
export const missesOf = (
  rows: readonly IntervalCoverage[],
  stalls: readonly StalledCoverage[],
  isRough: boolean,
): string[] => [
  ...rows.flatMap((row) => coverageMiss(row, isRough)),
  ...stalls.flatMap((row) => stallMiss(row, isRough)),
];
