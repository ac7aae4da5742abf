import { z } from 'zod';

/** A value of an axis. Null if the axis does not apply, as "op" for a broadcast. */
export const axisValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type AxisValue = z.infer<typeof axisValue>;
/** One point of a workload: axis name to value. */
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
  /** Column heading in tables; absent = the axis has no column. For the x axis it is also the noun in sentences: "28 sizes". */
  head: z.string().optional(),
  /** Name in charts and sentences; absent = the heading, or the name. */
  title: z.string().optional(),
  /** True if readers compare the axis's values: series that differ only in this axis share a chart. */
  isCompared: z.boolean().optional(),
  /**
   * True if different values mean different work, as different models do. Such series may share a chart, but their speeds are not
   * compared or added.
   */
  isOtherWork: z.boolean().optional(),
  /**
   * Values for which the host takes part in the operation. Operations with these values are timed by the host's clock even if the
   * engine has device clocks.
   */
  timedByHost: z.array(axisValue).optional(),
  /** Base of the chart ticks, which are its powers; only for the x axis. Absent = the base follows from the unit. */
  base: z.union([z.literal(2), z.literal(10)]).optional(),
  /** True for whole numbers. Tables then align right and file columns get a number type, even if all values are null. */
  isNumber: z.boolean().optional(),
  /** Column name in CSV and Parquet files. */
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

/** Units of figures; '1' = a plain number. */
export const figureUnits = ['ns', 'GB/s', '1/s', '1'] as const;
export type FigureUnit = (typeof figureUnits)[number];

const figureData = z.strictObject({
  name: z.string(),
  unit: z.enum(figureUnits),
  better: z.enum(['lower', 'higher']),
  /** Column heading in tables. `longHead` is the heading in printed reports, `title` the name in charts. */
  head: z.string(),
  longHead: z.string().optional(),
  title: z.string(),
  /** Start of the column name in files, before the unit: "bus" in bus_gb_per_s; absent = the name. */
  column: z.string().optional(),
  /**
   * Text below a chart, without full stop. `definition` is a sentence for the report's section on methods; "{factors}" in it is
   * replaced by the ratios of the figure to size over time in the measured cells: "allreduce 1.75 at 8 ranks".
   */
  caption: z.string().optional(),
  definition: z.string().optional(),
  /** True if the figure is the data rate on each link, so that reports compare it with the link's rated bandwidth. */
  isPerLink: z.boolean().optional(),
  /** Name of another program that prints the same figure: "nccl-tests". */
  sameAs: z.string().optional(),
  /** Kind of trial whose samples give the figure. Null if the figure is computed from other figures, or has no samples. */
  trial: z.enum(['isolated', 'pipelined']).nullable(),
  /** Names of the figures from which this figure can be computed; the first one that the cell has is used. Empty = measured. */
  from: z.array(z.string()),
  /**
   * True if the figure may be the headline: tables begin with it, and comparisons judge by it. The first such figure that a cell
   * has is used.
   */
  isHeadline: z.boolean().optional(),
  /** True if charts show the figure along the x axis in addition to the headline. */
  isCharted: z.boolean().optional(),
  /** True if the figure counts the work of all ranks together. Dividing it by its value at fewer ranks gives the speed-up. */
  isThroughput: z.boolean().optional(),
  /** Column name for DerivedFigure.factor in files. */
  factorColumn: z.string().optional(),
  /** One sentence on how the figure is computed, for files that describe themselves. */
  formula: z.string().optional(),
  /**
   * Role of the figure in a workload whose operations have parts; absent otherwise. It is the mean of the block column with the
   * same name on rank 0, in isolated trials (results/derive/cells/steps.ts). `whole`: the total, which is measured itself. `step`: a
   * part of the total. `rest`: the total minus all steps. `beside`: another time of the same operation, not part of the total.
   * `count`: a number of events. `bound`: largest error of the steps.
   */
  part: z.enum(['step', 'whole', 'rest', 'beside', 'count', 'bound']).optional(),
  /** True if the figure is a count that depends on the hardware, so that machines may differ in it. */
  isOfHardware: z.boolean().optional(),
});
export type FigureData = z.infer<typeof figureData>;

/**
 * Description of a workload for readers and reports. Each run stores it, so that later builds without this workload can read the
 * run.
 */
export const workloadData = z.strictObject({
  name: z.string(),
  /** Name for readers: "collective". */
  title: z.string(),
  /** Noun for one operation in sentences, if the kind of operation does not matter: "collective". */
  noun: z.string(),
  /** Noun for what a pipelined sample counts and divides its time by: "call". */
  unitOfWork: z.string(),
  /** Names of engines on which devices start the transfers. On these engines the host's clock times the whole operation. */
  timedByHostOn: z.array(z.string()).optional(),
  /** Axes of the workload, in the order in which ids, titles and columns contain them. */
  axes: z.array(axisData).min(1),
  figures: z.array(figureData).min(1),
});
export type WorkloadData = z.infer<typeof workloadData>;
