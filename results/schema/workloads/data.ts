import { z } from 'zod';

/** Value of one axis, such as "float32" for "dtype". Null if the axis does not apply to the measurement, as "op" to a broadcast. */
export const axisValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type AxisValue = z.infer<typeof axisValue>;
/** Values of all axes of one measurement, by name of the axis: { collective: "allreduce", dtype: "float32", bytes: 1024 }. */
export const axes = z.record(z.string(), axisValue);
export type WorkloadAxes = z.infer<typeof axes>;

export const axisUnits = ['B', 'ns', '%', ''] as const;
export type AxisUnit = (typeof axisUnits)[number];

const axisData = z.strictObject({
  name: z.string(),
  /** Unit of the axis values; '' if they are texts, booleans or plain numbers. */
  unit: z.enum(axisUnits),
  /**
   * Role of the axis in reports. `what`: its value names the operation in sentences. `x`: charts draw it along the x axis.
   * `series`: each of its values makes another series.
   */
  role: z.enum(['what', 'series', 'x']),
  /**
   * Column heading in tables; absent = tables have no column for the axis. For the x axis it is also the noun for its values in
   * sentences, in the singular: "size" in "28 sizes".
   */
  head: z.string().optional(),
  /** Name of the axis in charts and sentences; absent = `head`, or else `name`. */
  title: z.string().optional(),
  /**
   * True if readers want to compare the values of this axis in one chart: series that differ only in this axis are drawn together.
   * Absent = false.
   */
  isCompared: z.boolean().optional(),
  /**
   * Value of the axis that is the reference, such as "uniform" among routings: reports compare the results with each other value to
   * the results with this one. Absent = there is none.
   */
  reference: axisValue.optional(),
  /**
   * True if the values of the axis mean different work, such as different models: series with different values may share a chart,
   * but their speeds are not compared or added. Absent = false.
   */
  isOtherWork: z.boolean().optional(),
  /**
   * Value of the axis with which the operation should be fastest, such as the layout of a KV cache that one message moves: reports
   * say how near the times with other values come to it. Absent = there is none.
   */
  bound: axisValue.optional(),
  /**
   * Values of the axis with which the host's CPU takes part in the operation. Operations with these values are timed by the
   * host's clock even if the engine uses clocks of devices. Absent = none.
   */
  timedByHost: z.array(axisValue).optional(),
  /**
   * Number whose powers are the ticks of the x axis in charts; only for an axis with role `x`. Absent = 2 or 10, depending on the
   * unit.
   */
  base: z.union([z.literal(2), z.literal(10)]).optional(),
  /**
   * True if the axis values are whole numbers. Columns in tables and files are then numeric even if all values are null. Absent =
   * false.
   */
  isNumber: z.boolean().optional(),
  /** Name of the axis's column in CSV and Parquet files: "payload_bytes". */
  column: z.string(),
  /**
   * Text before the axis value in keys and file names: "q" in "q4". `titlePrefix`: text before it in titles, with its blank,
   * "queues ". Absent = none.
   */
  keyPrefix: z.string().optional(),
  titlePrefix: z.string().optional(),
  /**
   * Texts for the values false and true in ids and keys. `titleWords`: texts for them in titles; '' = the title does not mention
   * the value. Absent unless the axis values are booleans.
   */
  words: z.tuple([z.string(), z.string()]).optional(),
  titleWords: z.tuple([z.string(), z.string()]).optional(),
  /**
   * Values that titles do not mention, because they are the usual ones; absent = titles mention all. `all`: titles never mention
   * the axis, because its value follows from other axes.
   */
  untitled: z.union([z.literal('all'), z.array(axisValue)]).optional(),
});
export type AxisData = z.infer<typeof axisData>;

/** Units of figures: nanoseconds, 1e9 bytes per second, per second; "1" = a number without unit. */
export const figureUnits = ['ns', 'GB/s', '1/s', '1'] as const;
export type FigureUnit = (typeof figureUnits)[number];

const figureData = z.strictObject({
  name: z.string(),
  unit: z.enum(figureUnits),
  better: z.enum(['lower', 'higher']),
  /**
   * Column heading in tables on the terminal. `longHead`: column heading where there is more room, as in HTML reports; absent =
   * `head`. `title`: name of the figure in charts.
   */
  head: z.string(),
  longHead: z.string().optional(),
  title: z.string(),
  /**
   * Start of the names of the figure's columns in CSV and Parquet files, before the unit: "bus" in bus_gb_per_s; absent = `name`.
   */
  column: z.string().optional(),
  /**
   * Text below the figure's chart. `definition`: a sentence for the report's chapter on methods, in which "{factors}" becomes the
   * ratios of the figure to size / time in this run: "allreduce 1.75 at 8 ranks". Absent = none.
   */
  caption: z.string().optional(),
  definition: z.string().optional(),
  /**
   * True if the figure is the data rate of each link, as busbw is, so that reports compare it with the rated speed of the link.
   * Absent = false.
   */
  isPerLink: z.boolean().optional(),
  /** Name of another program that prints the same figure, so that readers can compare: "nccl-tests". Absent = none. */
  sameAs: z.string().optional(),
  /**
   * Trial from whose samples the figure is computed; null if it is computed from other figures, or recorded in addition to the
   * samples.
   */
  trial: z.enum(['isolated', 'pipelined']).nullable(),
  /**
   * Names of the measured figures, such as "latency", from which this one is computed: once from each that a cell has; reports
   * prefer the first. Empty = it is not computed from another one.
   */
  from: z.array(z.string()),
  /**
   * True if the figure may be the main time of a cell, with which tables begin and by which comparisons judge. The first such
   * figure that the cell has is used; comparisons of large messages prefer the last one. Absent = false.
   */
  isHeadline: z.boolean().optional(),
  /**
   * True if the figure has charts of its own over the x axis, in addition to those of the main time. The first such figure is the
   * workload's main rate. Absent = false.
   */
  isCharted: z.boolean().optional(),
  /**
   * True if the figure counts the work of all ranks together, so that its value divided by the value at fewer ranks is the
   * speed-up. Absent = false.
   */
  isThroughput: z.boolean().optional(),
  /**
   * True if the figure is the number of messages that all ranks together send per second. Multiplied by the time of an operation
   * it gives the messages per operation. Absent = false.
   */
  isMessageRate: z.boolean().optional(),
  /**
   * Name, in CSV and Parquet files, of the column with the factor by which the figure is computed, such as the bus factor; absent =
   * no column.
   */
  factorColumn: z.string().optional(),
  /**
   * Formula of the figure in one sentence, stored in OpenMetrics files for readers who do not have collbench. Absent = none;
   * these files then leave out the figure.
   */
  formula: z.string().optional(),
  /**
   * Role of the figure in the division of an operation's time into phases; absent = the figure is not about phases. `whole`: total
   * time. `step`: time of one phase. `rest`: total minus all phases. `beside`: a time that is not part of the total. `count`:
   * number of events. `bound`: largest error of the phases' times. Such figures come from isolated trials: means over operations on
   * rank 0, unless `acrossRanks` is set.
   */
  part: z.enum(['step', 'whole', 'rest', 'beside', 'count', 'bound']).optional(),
  /**
   * Combination of the ranks' values of a figure about phases. `highest`: for each operation the highest value of all ranks that
   * recorded one, then the median over operations. Absent = the value of rank 0.
   */
  acrossRanks: z.enum(['highest']).optional(),
  /**
   * True if the figure is a count that depends on the hardware, so that another count on another machine is no error. Absent =
   * false.
   */
  isOfHardware: z.boolean().optional(),
});
export type FigureData = z.infer<typeof figureData>;

/**
 * Description of a workload for readers and reports. Each run stores it, so that a later version without this workload can read the
 * run.
 */
export const workloadData = z.strictObject({
  name: z.string(),
  /** Name of the workload for readers: "collective". */
  title: z.string(),
  /** Noun for any operation of the workload in sentences: "collective". */
  noun: z.string(),
  /** Noun for one of the operations that a pipelined sample times together: "call". */
  unitOfWork: z.string(),
  /**
   * Engines with which the host's clock times the whole operation although the engine has clocks of devices: GPUs start transfers
   * by themselves, or the operation consists of several calls. Absent = none.
   */
  timedByHostOn: z.array(z.string()).optional(),
  /** Axes of the workload, in the order in which ids, titles and columns contain them. */
  axes: z.array(axisData).min(1),
  figures: z.array(figureData).min(1),
});
export type WorkloadData = z.infer<typeof workloadData>;
