import { z } from 'zod';

/** Output of `collbench aa --json`: pairs of equal runs, compared as if they were two builds. */

const share = z.strictObject({
  tests: z.int(),
  /** Number of comparisons that reported faster or slower although the program was the same, so false alarms. */
  alarms: z.int(),
});

const calibratedGroup = z.strictObject({
  /** Key of the series and its range of message sizes, which are compared together. */
  key: z.string(),
  title: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  xs: z.array(z.number()),
  ...share.shape,
  /**
   * Standard deviation of log time between launches (0.01 = 1 %), for the mean over the sizes. `cellScatter`: for one size.
   */
  scatter: z.number().nullable(),
  cellScatter: z.number().nullable(),
  /**
   * Smallest relative change (0.05 = 5 %) that comparing two such runs detects with probability 0.8; null if not known.
   */
  detectable: z.number().nullable(),
});
export type CalibratedGroup = z.infer<typeof calibratedGroup>;

export const calibration = z.strictObject({
  schemaVersion: z.literal(2),
  /** Ids of the compared runs: each pair of ids is two runs of the same program. */
  runs: z.array(z.tuple([z.string(), z.string()])),
  launches: z.int(),
  groups: share,
  cells: share,
  /** Number of pairs of runs with at least one false alarm, in a size range or a single size. */
  pairsWithAlarm: z.int(),
  /**
   * Standard deviation of the z-scores of all compared size ranges, with its 95 % interval; `of` is the number of z-scores. 1
   * means that launches of two runs differ no more than launches of one run. Null with fewer than four z-scores.
   */
  zSd: z.strictObject({ value: z.number(), low: z.number(), high: z.number(), of: z.int() }).nullable(),
  byGroup: z.array(calibratedGroup),
  /** The result in sentences for readers, each with full stop. */
  sentences: z.array(z.string()),
});
export type Calibration = z.infer<typeof calibration>;
