// Output of `collbench aa --json`: pairs of equal runs, compared as if they were two builds.
import { z } from 'zod';

/** Number of comparisons of equal runs that could be tested (`tests`), and how many of them reported a change (`alarms`). */
const share = z.strictObject({
  tests: z.int(),
  /** Number of false alarms: comparisons that reported "faster" or "slower" although the program was the same. */
  alarms: z.int(),
});

const calibratedGroup = z.strictObject({
  /** Key of a series with the name of its size range; the sizes of the range are compared together. */
  key: z.string(),
  title: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  xs: z.array(z.number()),
  ...share.shape,
  /**
   * Standard deviation of ln(time) between launches of one run (0.01 = 1 %), for the mean over the sizes of the range.
   * `cellScatter`: for one size. Null = nothing was tested.
   */
  scatter: z.number().nullable(),
  cellScatter: z.number().nullable(),
  /**
   * Smallest relative change (0.05 = 5 %) that a comparison of two runs with as many launches as the runs here detects with
   * probability 0.8; null if not known.
   */
  detectable: z.number().nullable(),
});
export type CalibratedGroup = z.infer<typeof calibratedGroup>;

export const calibration = z.strictObject({
  schemaVersion: z.literal(2),
  /** Ids of the compared runs; the two runs of each pair measured the same program. */
  runs: z.array(z.tuple([z.string(), z.string()])),
  /** Highest number of launches that the first run of a pair has in any size range. */
  launches: z.int(),
  groups: share,
  cells: share,
  /** Number of pairs of runs with at least one false alarm, in any size range or at any single size. */
  pairsWithAlarm: z.int(),
  /**
   * Standard deviation, around 0, of the z-scores of all compared size ranges that no other process disturbed, with its 95 %
   * interval; `of` is the number of z-scores. The z-score of a comparison is the quantile of the standard normal distribution
   * that belongs to its p-value: at most 8, with the sign of ln(ratio). Standard deviation 1 means that launches of two runs
   * differ no more than launches of one run. Null with fewer than four z-scores.
   */
  zSd: z.strictObject({ value: z.number(), low: z.number(), high: z.number(), of: z.int() }).nullable(),
  byGroup: z.array(calibratedGroup),
  /** The result in sentences for readers, each with full stop. */
  sentences: z.array(z.string()),
});
export type Calibration = z.infer<typeof calibration>;
