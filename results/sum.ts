/** Sum of counts, limited to the largest integer that JSON holds exactly. A host of the run can report counts of any size. */
export const sumOfCounts = (counts: readonly number[]): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((sum, count) => sum + count, 0),
  );
