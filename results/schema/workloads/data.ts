import { z } from 'zod';

/** A value of an axis. Null: the axis does not apply ("op" of a broadcast). */
export const axisValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type AxisValue = z.infer<typeof axisValue>;
/** One point of a workload: axis name to value. */
export const axes = z.record(z.string(), axisValue);
export type WorkloadAxes = z.infer<typeof axes>;

export const axisUnits = ['B', 'ns', '%', ''] as const;
export type AxisUnit = (typeof axisUnits)[number];

const axisData = z.strictObject({
  name: z.string(),
  /** Of numbers; '' = a word, a flag or a plain number. */
  unit: z.enum(axisUnits),
  /** `what` names the operation in sentences, `x` is drawn along the x axis, `series` tells series apart. */
  role: z.enum(['what', 'series', 'x']),
  /** Column head in tables; absent = the axis has no column. Of x it is the noun of sentences, too: "28 sizes". */
  head: z.string().optional(),
  /** In charts and sentences; absent = the head, or the name. */
  title: z.string().optional(),
  /** Readers compare its values: what differs in nothing else shares a chart. */
  isCompared: z.boolean().optional(),
  /** Its values are different work (models): they may share a chart, but none is faster than the other, or adds to it. */
  isOtherWork: z.boolean().optional(),
  /** Values where the host takes part in an operation, so that its clock times it on devices, too. */
  timedByHost: z.array(axisValue).optional(),
  /** Of x: ticks in charts are powers of it; absent = as its unit has it. */
  base: z.union([z.literal(2), z.literal(10)]).optional(),
  /** A whole number, also where no value shows it: set right in tables; columns of files have a type. */
  isNumber: z.boolean().optional(),
  /** Column of CSV and Parquet files. */
  column: z.string(),
  /** Written before the value: in keys and file names, and in titles. */
  keyPrefix: z.string().optional(),
  titlePrefix: z.string().optional(),
  /** Words for false and true: in ids and keys, and in titles ('' = not mentioned). */
  words: z.tuple([z.string(), z.string()]).optional(),
  titleWords: z.tuple([z.string(), z.string()]).optional(),
  /** Values that titles leave out, because they say nothing; `all`: it follows from the other axes. */
  untitled: z.union([z.literal('all'), z.array(axisValue)]).optional(),
});
export type AxisData = z.infer<typeof axisData>;

/** '1' = a plain number. */
export const figureUnits = ['ns', 'GB/s', '1/s', '1'] as const;
export type FigureUnit = (typeof figureUnits)[number];

const figureData = z.strictObject({
  name: z.string(),
  unit: z.enum(figureUnits),
  better: z.enum(['lower', 'higher']),
  /** Column head in tables, on paper where that differs, and words for charts. */
  head: z.string(),
  longHead: z.string().optional(),
  title: z.string(),
  /** Begins its column in files, the unit stands behind: "bus" of bus_gb_per_s; absent = the name. */
  column: z.string().optional(),
  /** Under a chart, without full stop, and for the method of a report, with it; "{factors}" there = those of the cells. */
  caption: z.string().optional(),
  definition: z.string().optional(),
  /** What each link carries: held against the link's own rate. */
  isPerLink: z.boolean().optional(),
  /** The program that prints the same figure: "nccl-tests". */
  sameAs: z.string().optional(),
  /** Samples it is made of; null = made of other figures, or of none. */
  trial: z.enum(['isolated', 'pipelined']).nullable(),
  /** Made of one of these figures, the first that is there. Empty = measured. */
  from: z.array(z.string()),
  /** What a table leads with and a comparison judges by, the first that is there. */
  isHeadline: z.boolean().optional(),
  /** Drawn over x beside the headline. */
  isCharted: z.boolean().optional(),
  /** Work of all ranks together: its growth with their number is the speed-up. */
  isThroughput: z.boolean().optional(),
  /** Column of DerivedFigure.factor in files. */
  factorColumn: z.string().optional(),
  /** How it is made, a sentence; for files that explain themselves. */
  formula: z.string().optional(),
  /**
   * Of operations that have parts: made of the block column with its name on rank 0, isolated (results/derive/steps.ts).
   * `step`: drawn as a part of the figure with `whole`, which is measured by itself; `rest`: that less all steps; `beside`:
   * another time of the same operation, no part of the whole; `count`: what was counted; `bound`: by how much steps may be wrong.
   */
  part: z.enum(['step', 'whole', 'rest', 'beside', 'count', 'bound']).optional(),
  /** Of counts: another machine may have another one. */
  isOfHardware: z.boolean().optional(),
});
export type FigureData = z.infer<typeof figureData>;

/** What readers must know of a workload. Stored with each run, so that readers of old runs need no table of this build. */
export const workloadData = z.strictObject({
  name: z.string(),
  /** For people: "collective". */
  title: z.string(),
  /** One of its operations in sentences, where it does not matter which: "collective". */
  noun: z.string(),
  /** What `pipelined` counts: "call". */
  unitOfWork: z.string(),
  /** Engines whose devices start transfers of an operation by themselves: there the host's clock times all of it. */
  timedByHostOn: z.array(z.string()).optional(),
  /** In the order of ids, titles and columns. */
  axes: z.array(axisData).min(1),
  figures: z.array(figureData).min(1),
});
export type WorkloadData = z.infer<typeof workloadData>;
