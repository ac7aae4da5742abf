// What intervals promise, row by row: what breaks it is named, and fails the benchmark.
import type { IntervalCoverage } from './coverage.ts';
import type { StalledCoverage } from './stalls.ts';

/** What 95 % intervals promise, give or take what is called all right. */
export const coverageBounds = { low: 0.93, high: 0.98 };
/** What an interval may be wider than that of an oracle. */
export const maxOracleRatio = 1.5;
/** Where an interval is due at least so many figures have one: a launch of 200 that met three bursts of 20 may have none. */
export const minIntervalShare = 0.8;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** @param isRough few repetitions: only what is certain counts */
function coverageMiss(
  { what, covered, shownShare = 1 }: Pick<IntervalCoverage, 'what' | 'covered' | 'shownShare'>,
  isRough: boolean,
): string[] {
  // A count meets such a share if the share is within its interval.
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

/** @param isRough few repetitions: coverage counts where it is too low for certain, widths do not */
export const missesOf = (
  rows: readonly IntervalCoverage[],
  stalls: readonly StalledCoverage[],
  isRough: boolean,
): string[] => [
  ...rows.flatMap((row) => coverageMiss(row, isRough)),
  ...stalls.flatMap((row) => stallMiss(row, isRough)),
];
