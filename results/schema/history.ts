import { z } from 'zod';
import { runRecord } from './run.ts';
import { suiteMembership } from './suite.ts';

/** Describes one column of the run index: a measured time of one series, as mean over the message sizes of one range. */
export const historyColumn = z.strictObject({
  /** Key of the series and its range of message sizes: "SERIES/large". */
  group: z.string(),
  /** Name of the measured time: "latency", "pipelined". */
  figure: z.string(),
  /** Hash of sizes and method of measuring. Values of two runs are comparable only if their hashes are equal. */
  like: z.string(),
  /** Message sizes (x values) that the run planned for this size range, ascending. */
  xs: z.array(z.number()).min(1),
});
export type HistoryColumn = z.infer<typeof historyColumn>;

/**
 * A line of the index `runs.ndjson` that lists the columns (measured times of series) which the lines of runs contain. Runs with
 * equal columns share it.
 */
export const historySet = z.strictObject({
  schemaVersion: z.literal(5),
  set: z.string(),
  columns: z.array(historyColumn),
});
export type HistorySet = z.infer<typeof historySet>;

const { id, title, startedAt, label, tags, notes } = runRecord.shape;

/**
 * A line of the index `runs.ndjson`, in the folder of all runs: what lists and histories need about one run. The last line of a
 * run is the valid one. The file also has lines of the form `historySet`.
 */
export const historyLine = z.strictObject({
  schemaVersion: z.literal(5),
  /** The run's folder, relative to the folder of the index. */
  folder: z.string(),
  /** Size in bytes and modification time of run.json when the line was made; if they differ, the line is outdated. */
  record: z.strictObject({ bytes: z.int(), mtimeMs: z.number() }),
  id,
  title,
  startedAt,
  /** Start of the run; for an imported run the time that the other program printed, if it printed one. */
  at: z.iso.datetime(),
  state: z.enum(['complete', 'failed', 'interrupted', 'running']),
  hosts: z.array(z.string()),
  /** True if the run was imported from another program. */
  imported: z.boolean().optional(),
  suite: suiteMembership.optional(),
  ...{ label, tags, notes },
  cells: z.object({ expected: z.int(), measured: z.int(), wrong: z.int(), contradicted: z.int() }),
  /** For each flag (warning), the indices of the columns with measurements that have it; absent if there are none. */
  flags: z.record(z.string(), z.array(z.int())).optional(),
  /** Key of the line (`historySet`) that lists the columns of this run; runs with equal columns share it. */
  set: z.string(),
  /**
   * One text record of fixed width per column, so that a reader parses only the columns that it needs
   * (store/run-index/figures.ts).
   */
  figures: z.string(),
  /** One log time as text of fixed width for each message size of each column, in the order of the columns. */
  points: z.string(),
});
export type HistoryLine = z.infer<typeof historyLine>;
