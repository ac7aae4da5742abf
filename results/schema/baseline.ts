import { z } from 'zod';
import { cellRecord } from './cell.ts';
import { runRecord } from './run.ts';

/** A variance of ln(time), with its degrees of freedom (`degrees`). */
const learnedVariance = z.strictObject({
  variance: z.number().nonnegative(),
  degrees: z.number().positive(),
});

/**
 * Scatter of the times of one series in one size range while the program is unchanged: three variances of ln(time), computed by
 * `collbench baseline learn` from several runs. `entry`: name of the suite entry; `key`: key of the series with the size range.
 */
export const learnedGroup = z.strictObject({
  entry: z.string(),
  key: z.string(),
  title: z.string(),
  /**
   * Variance between launches of ln(median time of the launch) at one message size. `group`: variance between launches of the mean
   * of these logarithms over all sizes of the range.
   */
  cell: learnedVariance,
  group: learnedVariance,
  /** Additional variance of ln(time) between nights (runs hours apart), beyond that between launches. */
  night: learnedVariance,
  /** Lowest number of launches at any size in any of the runs from which the variances were computed. */
  launches: z.int(),
  /**
   * Message sizes and sampling settings of the runs from which the variances were computed. The variances are used only for runs
   * with the same sizes and settings. Absent in older files.
   */
  holdsFor: z.strictObject({ xs: z.array(z.number()), sampling: z.string() }).optional(),
});
export type BaselineGroup = z.infer<typeof learnedGroup>;

const learned = z.strictObject({
  at: z.iso.datetime(),
  /** Ids of the runs or suites from which the variances were computed, in the order in which the user named them. */
  from: z.array(z.string()),
  groups: z.array(learnedGroup),
});

/**
 * A baseline: stored results with which later runs are compared. It contains complete copies of the results, so the folders of
 * the original runs may be deleted. `source`: the suite or run from which it was made.
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
  /**
   * One run for each entry of the suite; several runs of an entry are combined to one (`record`), whose results are `cells`. A
   * baseline made from a single run has one entry: that of the run's suite, or "run" if it belongs to none.
   */
  entries: z.array(z.strictObject({ entry: z.string(), record: runRecord, cells: z.array(cellRecord) })),
  /** Variances between launches and nights of an unchanged program; null until `collbench baseline learn` was called. */
  learned: learned.nullable(),
});
export type Baseline = z.infer<typeof baseline>;
