/** Sum of counts that one host of the run can make as large as it likes: it stays an integer that JSON holds exactly. */
export const sumOfCounts = (counts: readonly number[]): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((sum, count) => sum + count, 0),
  );
