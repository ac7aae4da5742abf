import { z } from 'zod';
import { suiteMembership } from './suite.ts';

/** What a figure of the index is of: all sizes of one series in one regime, one figure. */
export const historyColumn = z.strictObject({
  /** Series and regime (derive/cell-group.ts). */
  group: z.string(),
  /** Of the workload's row. */
  figure: z.string(),
  /** Equal where x and method are: only then figures may be held against each other. */
  like: z.string(),
  /** How many x. */
  points: z.int().min(1),
});
export type HistoryColumn = z.infer<typeof historyColumn>;

/** A line of `runs.ndjson` that says what the figures of others are of: most runs measure what others did. */
export const historySet = z.strictObject({
  schemaVersion: z.literal(4),
  set: z.string(),
  columns: z.array(historyColumn),
});
export type HistorySet = z.infer<typeof historySet>;

/** A line of `runs.ndjson` beside the run folders. It says nothing that these do not say; of one run the last line counts. */
export const historyLine = z.strictObject({
  schemaVersion: z.literal(4),
  /** The run's folder, relative to that of the index. */
  folder: z.string(),
  id: z.string(),
  /** When it was measured: start of the run; of an imported one what it told of that. */
  at: z.iso.datetime(),
  state: z.enum(['complete', 'failed', 'interrupted', 'running']),
  hosts: z.array(z.string()),
  /** Another program measured it. */
  imported: z.boolean().optional(),
  suite: suiteMembership.optional(),
  /** What the tag `commit` of the run says: the source that was measured. */
  commit: z.string().optional(),
  /** Of the run; absent = it has none. */
  label: z.string().optional(),
  cells: z.object({ expected: z.int(), measured: z.int(), wrong: z.int(), contradicted: z.int() }),
  /** Flags of cells, with the columns they stand in; absent = none. */
  flags: z.record(z.string(), z.array(z.int())).optional(),
  /** By column the x that scatter too much for an interval and are not in its figure, rising; absent = none. */
  open: z.record(z.string(), z.array(z.number())).optional(),
  /** Of the line that tells the columns. */
  set: z.string(),
  /** One record of fixed width per column (history/records.ts): none is read that is not asked for. */
  figures: z.string(),
});
export type HistoryLine = z.infer<typeof historyLine>;
