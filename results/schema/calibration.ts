import { z } from 'zod';

/** Output of `collbench aa --json`: pairs of equal runs, compared as if they were two builds. */

const share = z.strictObject({
  tests: z.int(),
  /** Number of tests that reported faster or slower, although nothing changed. */
  alarms: z.int(),
});

const calibratedGroup = z.strictObject({
  /** Key of the series and its size range. */
  key: z.string(),
  title: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  xs: z.array(z.number()),
  ...share.shape,
  /**
   * Standard deviation between launches of the mean log time over the sizes: 0.01 is 1 %. `cellScatter` is that of a single size.
   */
  scatter: z.number().nullable(),
  cellScatter: z.number().nullable(),
  /**
   * Smallest relative change that a comparison of two such runs finds in 4 of 5 cases, computed from the scatter of all pairs.
   */
  detectable: z.number().nullable(),
});
export type CalibratedGroup = z.infer<typeof calibratedGroup>;

export const calibration = z.strictObject({
  schemaVersion: z.literal(2),
  /** Ids of the runs, in pairs. */
  runs: z.array(z.tuple([z.string(), z.string()])),
  launches: z.int(),
  groups: share,
  cells: share,
  /** Number of pairs in which at least one group or cell was reported as changed. */
  pairsWithAlarm: z.int(),
  /**
   * Standard deviation of the groups' z-scores, with its 95 % interval; `of` is their number. 1 means that launches of two runs
   * differ no more than launches of one run. Null with fewer than four z-scores.
   */
  zSd: z.strictObject({ value: z.number(), low: z.number(), high: z.number(), of: z.int() }).nullable(),
  byGroup: z.array(calibratedGroup),
  /** Sentences for readers, with full stops. */
  sentences: z.array(z.string()),
});
export type Calibration = z.infer<typeof calibration>;
