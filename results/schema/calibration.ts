import { z } from 'zod';

/** Output of `collbench aa --json`: pairs of equal runs, compared as if they were two builds. */

const share = z.strictObject({
  tests: z.int(),
  /** Number of comparisons that reported faster or slower, although nothing had changed. Each one is a false alarm. */
  alarms: z.int(),
});

const calibratedGroup = z.strictObject({
  /** Key of the series and of the size range whose cells are compared together. */
  key: z.string(),
  title: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  xs: z.array(z.number()),
  ...share.shape,
  /**
   * Standard deviation of log time between launches, of the mean over the sizes: 0.01 is 1 %. `cellScatter` is that of one size.
   */
  scatter: z.number().nullable(),
  cellScatter: z.number().nullable(),
  /**
   * Smallest relative change that a comparison of two such runs detects with probability 0.8, computed from the scatter of all
   * pairs.
   */
  detectable: z.number().nullable(),
});
export type CalibratedGroup = z.infer<typeof calibratedGroup>;

export const calibration = z.strictObject({
  schemaVersion: z.literal(2),
  /** Ids of the compared runs, two equal runs in each tuple. */
  runs: z.array(z.tuple([z.string(), z.string()])),
  launches: z.int(),
  groups: share,
  cells: share,
  /** Number of pairs of runs in which at least one size range or single size was reported as changed. */
  pairsWithAlarm: z.int(),
  /**
   * Standard deviation of the z-scores of all compared size ranges, with its 95 % interval; `of` is the number of z-scores. 1
   * means that launches of two runs differ no more than launches of one run. Null with fewer than four z-scores.
   */
  zSd: z.strictObject({ value: z.number(), low: z.number(), high: z.number(), of: z.int() }).nullable(),
  byGroup: z.array(calibratedGroup),
  /** Text of the result, one sentence with full stop each. */
  sentences: z.array(z.string()),
});
export type Calibration = z.infer<typeof calibration>;
