import { z } from 'zod';

/** Value of one axis (parameter of a workload, such as "dtype"). Null if it does not apply, as "op" for a broadcast. */
export const axisValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type AxisValue = z.infer<typeof axisValue>;
/** Values of all axes of one measurement, by name of the axis: { collective: "allreduce", dtype: "float32", bytes: 1024 }. */
export const axes = z.record(z.string(), axisValue);
export type WorkloadAxes = z.infer<typeof axes>;

export const axisUnits = ['B', 'ns', '%', ''] as const;
export type AxisUnit = (typeof axisUnits)[number];

const axisData = z.strictObject({
  name: z.string(),
  /** Unit of a numeric axis; '' = text, a flag or a plain number. */
  unit: z.enum(axisUnits),
  /**
   * `what`: the axis names the operation in sentences. `x`: charts draw it along the x axis. `series`: its values separate
   * series.
   */
  role: z.enum(['what', 'series', 'x']),
  /** Column heading in tables; absent = no column. For the x axis it is also the noun for its values: "28 sizes". */
  head: z.string().optional(),
  /** Name of the axis in charts and sentences; absent = `head`, or else `name`. */
  title: z.string().optional(),
  /** True if readers want to compare its values in one chart: series that differ only in this axis are drawn together. */
  isCompared: z.boolean().optional(),
  /** Value with which reports compare the results of all other values, such as "uniform" of routings. */
  reference: axisValue.optional(),
  /**
   * True if its values mean different work, such as different models: series with different values may share a chart, but their
   * speeds are not compared or added.
   */
  isOtherWork: z.boolean().optional(),
  /**
   * Value that is the bound of the others, such as the layout of a cache that one descriptor moves: reports say how near the
   * others come to it.
   */
  bound: axisValue.optional(),
  /**
   * Values for which the host takes part in the operation. Operations with these values are timed by the host's clock even if the
   * engine has device clocks.
   */
  timedByHost: z.array(axisValue).optional(),
  /** Chart ticks are powers of this base; only for the x axis. Absent = 2 or 10 by the unit. */
  base: z.union([z.literal(2), z.literal(10)]).optional(),
  /** True if values are whole numbers: columns in tables and files are then numeric even if all values are null. */
  isNumber: z.boolean().optional(),
  /** Name of the axis's column in CSV and Parquet files. */
  column: z.string(),
  /**
   * Text before the axis value in keys and file names: "q" in "q4". `titlePrefix` is the text before it in titles: "queues ".
   */
  keyPrefix: z.string().optional(),
  titlePrefix: z.string().optional(),
  /** Texts for false and true in ids and keys. `titleWords` are those in titles; '' = the title does not mention the value. */
  words: z.tuple([z.string(), z.string()]).optional(),
  titleWords: z.tuple([z.string(), z.string()]).optional(),
  /**
   * Values that titles do not mention, because they are the normal case. `all`: titles never mention the axis, because its value
   * follows from the others.
   */
  untitled: z.union([z.literal('all'), z.array(axisValue)]).optional(),
});
export type AxisData = z.infer<typeof axisData>;

/** Units of measured and computed values: nanoseconds, 1e9 bytes per second, per second; "1" = a number without unit. */
export const figureUnits = ['ns', 'GB/s', '1/s', '1'] as const;
export type FigureUnit = (typeof figureUnits)[number];

const figureData = z.strictObject({
  name: z.string(),
  unit: z.enum(figureUnits),
  better: z.enum(['lower', 'higher']),
  /** Column heading in tables on the terminal. `longHead`: in printed reports; `title`: name in charts. */
  head: z.string(),
  longHead: z.string().optional(),
  title: z.string(),
  /** Start of the column name in CSV and Parquet files, before the unit: "bus" in bus_gb_per_s; absent = `name`. */
  column: z.string().optional(),
  /**
   * Text below the value's chart. `definition`: a sentence for the report's chapter on methods, in which "{factors}" becomes the
   * measured ratios of the value to size / time: "allreduce 1.75 at 8 ranks".
   */
  caption: z.string().optional(),
  definition: z.string().optional(),
  /** True if the value is the data rate of each link, such as busbw, so that reports compare it with the link's rated speed. */
  isPerLink: z.boolean().optional(),
  /** Name of another program that prints the same value, so that readers can compare: "nccl-tests". */
  sameAs: z.string().optional(),
  /** Kind of trial from whose samples the value is computed; null if it is computed from other values or recorded itself. */
  trial: z.enum(['isolated', 'pipelined']).nullable(),
  /** Names of values, such as "latency", from which this one can be computed; the first available is used. Empty = measured. */
  from: z.array(z.string()),
  /**
   * True if tables may begin with this time and comparisons judge by it. The first such time that a result has is used.
   */
  isHeadline: z.boolean().optional(),
  /** True if charts also draw this value along the x axis, in addition to the main time. */
  isCharted: z.boolean().optional(),
  /** True if the value counts work of all ranks together, so that its ratio to that at fewer ranks is the speed-up. */
  isThroughput: z.boolean().optional(),
  /** True if the value is the number of messages of all ranks per second: times the time, it is their number. */
  isMessageRate: z.boolean().optional(),
  /** Column name, in files, of the factor with which the value is computed, such as the bus factor. */
  factorColumn: z.string().optional(),
  /** One sentence with the formula of the value, stored in files for readers who do not have collbench. */
  formula: z.string().optional(),
  /**
   * Role of a value about one phase of an operation; absent = about the whole. `whole`: the total time. `step`: a phase of it.
   * `rest`: total minus phases. `beside`: a time outside the total. `count`: a number of events. `bound`: largest error of the
   * phases. Means on rank 0 in isolated trials.
   */
  part: z.enum(['step', 'whole', 'rest', 'beside', 'count', 'bound']).optional(),
  /** `highest`: a value about a phase is the highest of all ranks that recorded it, in each operation. Absent = that of rank 0. */
  acrossRanks: z.enum(['highest']).optional(),
  /** True if the value is a count that the hardware determines, so that machines may differ in it without being wrong. */
  isOfHardware: z.boolean().optional(),
});
export type FigureData = z.infer<typeof figureData>;

/**
 * Description of a workload for readers and reports. Each run stores it, so that later builds without this workload can read the
 * run.
 */
export const workloadData = z.strictObject({
  name: z.string(),
  /** Name of the workload for readers: "collective". */
  title: z.string(),
  /** Noun for an operation of the workload in sentences that hold for all of them: "collective". */
  noun: z.string(),
  /** Noun for one of the operations into which a pipelined sample is divided: "call". */
  unitOfWork: z.string(),
  /**
   * Engines on which the host's clock times the whole operation although ranks use GPUs: GPUs start transfers by themselves, or
   * the operation consists of several calls.
   */
  timedByHostOn: z.array(z.string()).optional(),
  /** Parameters that a run can vary, in the order in which ids, titles and columns contain them. */
  axes: z.array(axisData).min(1),
  figures: z.array(figureData).min(1),
});
export type WorkloadData = z.infer<typeof workloadData>;
