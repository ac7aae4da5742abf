import { z } from 'zod';
import { runRecord } from './run.ts';
import { runStates } from './run-state.ts';
import { suiteMembership } from './suite.ts';

/** Description of one column of the run index: a measured time of one series, averaged over the message sizes of one size range. */
export const historyColumn = z.strictObject({
  /** Key of the series, with the name of its size range: "SERIES/large". */
  group: z.string(),
  /** Name of the measured figure whose means are in this column: "latency", "pipelined". */
  figure: z.string(),
  /**
   * Hash of the message sizes and of the method of measuring (clock, common start, combination of the ranks' times). Times of two
   * runs in this column are comparable only if their hashes are equal.
   */
  like: z.string(),
  /**
   * Message sizes (x values) in this size range that the run measured or tried to measure, ascending; failed sizes and wrong data
   * are included.
   */
  xs: z.array(z.number()).min(1),
});
export type HistoryColumn = z.infer<typeof historyColumn>;

/**
 * A line of the index `runs.ndjson` that describes columns (measured times of series). The lines of all runs with the same
 * columns refer to it by its key `set`, a hash of the columns.
 */
export const historySet = z.strictObject({
  schemaVersion: z.literal(5),
  set: z.string(),
  columns: z.array(historyColumn),
});
export type HistorySet = z.infer<typeof historySet>;

const { id, title, startedAt, label, tags, notes } = runRecord.shape;

/**
 * A line of the index `runs.ndjson`, which lies in the folder of all runs: the facts about one run that lists and histories show.
 * If a run has several lines, only the last one is valid. Lines of the form `historySet` describe the columns. `cells`: numbers
 * of configurations that are planned, measured, have wrong data, or used another transport than requested.
 */
export const historyLine = z.strictObject({
  schemaVersion: z.literal(5),
  /** Path of the run's folder, relative to the folder of the index. */
  folder: z.string(),
  /**
   * Size in bytes and modification time (ms since 1970) of the run's run.json when the line was written. If the file now has
   * others, the line is outdated.
   */
  record: z.strictObject({ bytes: z.int(), mtimeMs: z.number() }),
  id,
  title,
  startedAt,
  /**
   * Time at which the run started. For an imported run, the time that the other program printed, if it printed one; without a time
   * zone it is taken as UTC.
   */
  at: z.iso.datetime(),
  state: z.enum(runStates),
  hosts: z.array(z.string()),
  /** True if the run was imported from another program's output or from a bundle file; absent = collbench measured it here. */
  imported: z.boolean().optional(),
  suite: suiteMembership.optional(),
  ...{ label, tags, notes },
  cells: z.object({ expected: z.int(), measured: z.int(), wrong: z.int(), contradicted: z.int() }),
  /**
   * For each flag (warning), the indices of the columns (HistorySet.columns) in which at least one measurement has it; absent if
   * no measurement has a flag.
   */
  flags: z.record(z.string(), z.array(z.int())).optional(),
  /** Key of the line of the form `historySet` that describes the columns of this run. */
  set: z.string(),
  /**
   * One record of fixed width per column of the set (one measured time of one series in one size range), joined to one text: mean
   * of ln(time in ns) over the message sizes of the column, its standard deviation between launches, and number of launches
   * (0 = not known). A reader parses only the columns that it needs (store/run-index/figures.ts).
   */
  figures: z.string(),
  /**
   * One ln(time in ns) of fixed width for each message size of each column, in the order of the columns, joined to one text. Dashes
   * = no usable time: not measured to its end, wrong data, another transport, or too much scatter.
   */
  points: z.string(),
});
export type HistoryLine = z.infer<typeof historyLine>;
