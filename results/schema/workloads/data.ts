import { z } from 'zod';

/** A value of an axis. Null: the axis does not apply ("op" of a broadcast). */
export const axisValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type AxisValue = z.infer<typeof axisValue>;
/** One point of a workload: axis name to value. */
export const axes = z.record(z.string(), axisValue);
export type Axes = z.infer<typeof axes>;

export const axisUnits = ['B', 'ns', ''] as const;
export type AxisUnit = (typeof axisUnits)[number];

const axisData = z.strictObject({
  name: z.string(),
  /** Of numbers; '' = a word, a flag or a plain number. */
  unit: z.enum(axisUnits),
  /** `what` names the operation in sentences, `x` is drawn along the x axis, `series` tells series apart. */
  role: z.enum(['what', 'series', 'x']),
  /** Column head in tables; absent = the axis has no column. */
  head: z.string().optional(),
  /** Column of CSV and Parquet files. */
  column: z.string(),
  /** Written before the value: in keys and file names, and in titles. */
  keyPrefix: z.string().optional(),
  titlePrefix: z.string().optional(),
  /** Words for false and true: in ids and keys, and in titles ('' = not mentioned). */
  words: z.tuple([z.string(), z.string()]).optional(),
  titleWords: z.tuple([z.string(), z.string()]).optional(),
  /** Values that titles leave out, because they say nothing. */
  untitled: z.array(axisValue).optional(),
});
export type AxisData = z.infer<typeof axisData>;

export const figureUnits = ['ns', 'GB/s', '1/s'] as const;
export type FigureUnit = (typeof figureUnits)[number];

const figureData = z.strictObject({
  name: z.string(),
  unit: z.enum(figureUnits),
  better: z.enum(['lower', 'higher']),
  /** Column head in tables, and words for charts. */
  head: z.string(),
  title: z.string(),
  /** Samples it is made of; null = made of other figures, or of none. */
  trial: z.enum(['isolated', 'pipelined']).nullable(),
  /** Made of one of these figures, the first that is there. Empty = measured. */
  from: z.array(z.string()),
  /** What a table leads with and a comparison judges by, the first that is there. */
  isHeadline: z.boolean().optional(),
  /** Drawn over x beside the headline. */
  isCharted: z.boolean().optional(),
});
export type FigureData = z.infer<typeof figureData>;

/** What readers must know of a workload. Stored with each run, so that readers of old runs need no table of this build. */
export const workloadData = z.strictObject({
  name: z.string(),
  /** For people: "collective". */
  title: z.string(),
  /** What `pipelined` counts: "call". */
  unitOfWork: z.string(),
  /** In the order of ids, titles and columns. */
  axes: z.array(axisData).min(1),
  figures: z.array(figureData).min(1),
});
export type WorkloadData = z.infer<typeof workloadData>;
