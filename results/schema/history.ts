import { z } from 'zod';
import { runRecord } from './run.ts';
import { suiteMembership } from './suite.ts';

/** Description of one stored figure of a run: the mean over the sizes of one series in one size range. */
export const historyColumn = z.strictObject({
  /** Key of series and size range (derive/cells/cell-group.ts). */
  group: z.string(),
  /** Name of the figure in its workload: "latency", "busbw". */
  figure: z.string(),
  /** Hash of the sizes and the method of measuring. Figures of two runs are comparable only if the hashes are equal. */
  like: z.string(),
  /** X values (for example payload bytes) that the run planned for this size range, ascending. */
  xs: z.array(z.number()).min(1),
});
export type HistoryColumn = z.infer<typeof historyColumn>;

/**
 * A line of `runs.ndjson` that describes the figures (columns) that lines of runs contain. Runs with the same columns share one
 * such line.
 */
export const historySet = z.strictObject({
  schemaVersion: z.literal(5),
  set: z.string(),
  columns: z.array(historyColumn),
});
export type HistorySet = z.infer<typeof historySet>;

const { id, title, startedAt, label, tags, notes } = runRecord.shape;

/**
 * A line of `runs.ndjson` in the folder of all runs: a copy of the data of one run that lists and histories need. If a folder has
 * several lines, the last one is valid.
 */
export const historyLine = z.strictObject({
  schemaVersion: z.literal(5),
  /** The run's folder, relative to that of the index. */
  folder: z.string(),
  /** Size and modification time of the run.json from which the line was made. */
  record: z.strictObject({ bytes: z.int(), mtimeMs: z.number() }),
  id,
  title,
  startedAt,
  /** Start of the run; for an imported run the time that the other program printed. */
  at: z.iso.datetime(),
  state: z.enum(['complete', 'failed', 'interrupted', 'running']),
  hosts: z.array(z.string()),
  /** True if the run was imported from another program. */
  imported: z.boolean().optional(),
  suite: suiteMembership.optional(),
  ...{ label, tags, notes },
  cells: z.object({ expected: z.int(), measured: z.int(), wrong: z.int(), contradicted: z.int() }),
  /** Indices of the columns whose cells have a flag, by name of the flag; absent if no cell has a flag. */
  flags: z.record(z.string(), z.array(z.int())).optional(),
  /** Key of the `historySet` line that lists the columns of this run. */
  set: z.string(),
  /**
   * One text record of fixed width per column, so that a reader parses only the columns that it needs
   * (store/run-index/figures.ts).
   */
  figures: z.string(),
  /** One log time of fixed width per x value of each column, in the order of the columns. */
  points: z.string(),
});
export type HistoryLine = z.infer<typeof historyLine>;
