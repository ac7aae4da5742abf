import { z } from 'zod';
import { cellRecord } from './cell.ts';
import { runRecord } from './run.ts';

/** A variance of log times, with its degrees of freedom. */
const learnedVariance = z.strictObject({
  variance: z.number().nonnegative(),
  degrees: z.number().positive(),
});

/**
 * Variances of one entry's cells of one series and size range, computed from runs of an unchanged program. Log times throughout.
 */
export const learnedGroup = z.strictObject({
  entry: z.string(),
  key: z.string(),
  title: z.string(),
  /** Variance between launches of a single size. `group` is that of the mean log time over all sizes of the size range. */
  cell: learnedVariance,
  group: learnedVariance,
  /** Variance between runs of different hours or nights, after the variance between launches is subtracted. */
  night: learnedVariance,
  /** Number of launches of the run that has the fewest launches. */
  launches: z.int(),
  /**
   * The sizes and the sampling settings of a launch. The variances are used only for runs with the same ones. Absent in older
   * files.
   */
  holdsFor: z.strictObject({ xs: z.array(z.number()), sampling: z.string() }).optional(),
});
export type BaselineGroup = z.infer<typeof learnedGroup>;

const learned = z.strictObject({
  at: z.iso.datetime(),
  /** Ids of the runs or suites from which the variances are computed, oldest first. */
  from: z.array(z.string()),
  groups: z.array(learnedGroup),
});

/**
 * Stored runs with which later runs are compared. All cells are complete copies, so the original run folders need not be kept.
 */
export const baseline = z.strictObject({
  schemaVersion: z.literal(3),
  name: z.string(),
  setAt: z.iso.datetime(),
  source: z.strictObject({
    kind: z.enum(['suite', 'run']),
    id: z.string(),
    name: z.string(),
    title: z.string(),
  }),
  /** One run per entry of a suite. A baseline made from a single run has one entry named "run". */
  entries: z.array(z.strictObject({ entry: z.string(), record: runRecord, cells: z.array(cellRecord) })),
  /** Variances from `collbench baseline learn`; null until the user has called that command. */
  learned: learned.nullable(),
});
export type Baseline = z.infer<typeof baseline>;
export type BaselineEntry = Baseline['entries'][number];
