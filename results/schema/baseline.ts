import { z } from 'zod';
import { cellRecord } from './cell.ts';
import { runRecord } from './run.ts';

/** A variance of log times, and the degrees of freedom it is known with. */
const learnedVariance = z.strictObject({
  variance: z.number().nonnegative(),
  degrees: z.number().positive(),
});

/** What runs of an unchanged thing showed about one group (results/derive/cell-group.ts) of one entry. */
export const learnedGroup = z.strictObject({
  entry: z.string(),
  key: z.string(),
  title: z.string(),
  /** Between launches: of one size, and of the mean over the sizes of the group. */
  cell: learnedVariance,
  group: learnedVariance,
  /** Between runs of different hours or nights, what launches explain taken off. */
  night: learnedVariance,
  /** Launches of each run, at least. */
  launches: z.int(),
  /** Sizes of the group, and how a launch was sampled: of others it says nothing. Absent in older files. */
  holdsFor: z.strictObject({ xs: z.array(z.number()), sampling: z.string() }).optional(),
});
export type BaselineGroup = z.infer<typeof learnedGroup>;

const learned = z.strictObject({
  at: z.iso.datetime(),
  /** Ids of the runs or suites, oldest first. */
  from: z.array(z.string()),
  groups: z.array(learnedGroup),
});

/** What later runs are held against: figures copied whole, so that nothing else need be kept. */
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
  /** Of a suite its entries, of a run one entry of the name "run". */
  entries: z.array(z.strictObject({ entry: z.string(), record: runRecord, cells: z.array(cellRecord) })),
  /** Null until `collbench baseline learn`. */
  learned: learned.nullable(),
});
export type Baseline = z.infer<typeof baseline>;
export type BaselineEntry = Baseline['entries'][number];
