/**
 * Returns the sum of counts, at most the largest integer that JSON holds exactly. The limit is needed, because a host may report
 * counts of any size.
 */
export const sumOfCounts = (counts: readonly number[]): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((sum, count) => sum + count, 0),
  );
