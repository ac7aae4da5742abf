import { z } from 'zod';

/** What `collbench aa --json` prints: pairs of equal runs, judged as if they were two builds. */

const share = z.strictObject({
  tests: z.int(),
  /** Called faster or slower although nothing changed. */
  alarms: z.int(),
});

const calibratedGroup = z.strictObject({
  /** Series and regime. */
  key: z.string(),
  title: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  xs: z.array(z.number()),
  ...share.shape,
  /** Standard deviation of one launch of the mean over its sizes, log time: 0.01 is 1 %; and of a single size. */
  scatter: z.number().nullable(),
  cellScatter: z.number().nullable(),
  /** Smallest change that such a pair of runs finds in 4 of 5 cases, relative; with the scatter of all pairs. */
  detectable: z.number().nullable(),
});
export type CalibratedGroup = z.infer<typeof calibratedGroup>;

export const calibration = z.strictObject({
  schemaVersion: z.literal(2),
  /** Ids, in pairs. */
  runs: z.array(z.tuple([z.string(), z.string()])),
  launches: z.int(),
  groups: share,
  cells: share,
  /** Pairs in which anything was called changed. */
  pairsWithAlarm: z.int(),
  /**
   * Standard deviation of the z-scores of the groups, 1 where launches of two runs differ as those of one do, with its 95 %
   * interval; null with fewer than four.
   */
  zSd: z.strictObject({ value: z.number(), low: z.number(), high: z.number(), of: z.int() }).nullable(),
  byGroup: z.array(calibratedGroup),
  /** For people, with full stops. */
  sentences: z.array(z.string()),
});
export type Calibration = z.infer<typeof calibration>;
