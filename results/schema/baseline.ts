import { z } from 'zod';
import { cellRecord } from './cell.ts';
import { runRecord } from './run.ts';

/** A variance of log times, with its degrees of freedom. */
const learnedVariance = z.strictObject({
  variance: z.number().nonnegative(),
  degrees: z.number().positive(),
});

/** Variances of one group (results/derive/cell-group.ts) of one entry, computed from runs of an unchanged program. */
export const learnedGroup = z.strictObject({
  entry: z.string(),
  key: z.string(),
  title: z.string(),
  /** Variance between launches of a single size. `group` is the variance of the mean over the group's sizes. */
  cell: learnedVariance,
  group: learnedVariance,
  /** Variance between runs of different hours or nights, without the part that launches explain. */
  night: learnedVariance,
  /** Lowest number of launches in any of the runs. */
  launches: z.int(),
  /** Sizes of the group, and the sampling of a launch; the variances hold only for these. Absent in older files. */
  holdsFor: z.strictObject({ xs: z.array(z.number()), sampling: z.string() }).optional(),
});
export type BaselineGroup = z.infer<typeof learnedGroup>;

const learned = z.strictObject({
  at: z.iso.datetime(),
  /** Ids of the runs or suites, oldest first. */
  from: z.array(z.string()),
  groups: z.array(learnedGroup),
});

/** Figures with which later runs are compared. They are complete copies, so the original runs need not be kept. */
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
  /** Entries of a suite; a run is one entry named "run". */
  entries: z.array(z.strictObject({ entry: z.string(), record: runRecord, cells: z.array(cellRecord) })),
  /** Null until `collbench baseline learn`. */
  learned: learned.nullable(),
});
export type Baseline = z.infer<typeof baseline>;
export type BaselineEntry = Baseline['entries'][number];
