// Contents of explanation.json, which `collbench explain` writes: the parts that make up the time of an operation.
import { z } from 'zod';

/** A time in ns with the bounds `low` and `high` of its 95 % interval, also in ns. */
const timeEstimate = z.strictObject({ ns: z.number(), low: z.number(), high: z.number() });
export type TimeEstimate = z.infer<typeof timeEstimate>;

/**
 * Kinds of parts of an operation's time. `cause`: a change of the command line or environment takes this time away. `work`: the
 * operation needs this time, as another measurement shows. `bound`: a measured time that no operation between these ranks can
 * beat, such as that of two ranks alone that exchange the necessary bytes. For operations back to back (`backToBack`), the bound
 * is the time of a typical operation. `unexplained`: the rest.
 */
const shareKinds = ['cause', 'work', 'unexplained', 'bound'] as const;
export type ShareKind = (typeof shareKinds)[number];

/** Names of a part of an operation's time, or of a possible cause. */
const partNames = z.strictObject({
  /**
   * Id of the cause, such as `algorithm`. For a part that is no cause, the id of the measurement that shows it, or else its kind.
   */
  id: z.string(),
  /** Name of the part or cause for readers, such as "algorithm direct". */
  title: z.string(),
  /** Experiment that measured the part, as the changed options or as a command, for readers; "" for the unexplained rest. */
  experiment: z.string(),
});

/** One part of an operation's time, with its length in ns. */
const timeShare = timeEstimate.extend({
  kind: z.enum(shareKinds),
  ...partNames.shape,
  /**
   * Changes of the command's options that take the cause away, by name of the option; null = the option is removed. Empty for parts
   * that are no cause.
   */
  change: z.record(z.string(), z.string().nullable()),
  /**
   * Names of environment variables that must be unset to take the cause away; empty if the cause is no variable, or the part is no
   * cause.
   */
  unset: z.array(z.string()),
});
export type TimeShare = z.infer<typeof timeShare>;

/**
 * A possible cause that an experiment excluded: without the cause the time is not certainly shorter, or by too little to count. A
 * measurement of needed work that certainly takes longer than the operation has the same form, and so has the result for a rail
 * alone.
 */
const excludedCause = partNames.extend({
  /**
   * Time with the experiment's change divided by the time without it, geometric mean over rounds. `low`, `high`: its 95 % interval.
   */
  ratio: z.number(),
  low: z.number(),
  high: z.number(),
});
export type ExcludedCause = z.infer<typeof excludedCause>;

/**
 * A recorded variable by which all slow launches can be told from all fast ones. `flag`: all slow launches have this flag, and no
 * fast one. `load`: numbers of cores that other processes kept busy, the lowest of the slow launches and the highest of the fast
 * ones. `cpus`: CPUs of the ranks. `round`: the slow launches are those of the first or the last rounds. `position`: they are the
 * first or the last within their rounds.
 */
const modeVariable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('flag'), flag: z.string() }),
  z.strictObject({ kind: z.literal('load'), slowCores: z.number(), fastCores: z.number() }),
  z.strictObject({ kind: z.literal('cpus'), slow: z.array(z.string()), fast: z.array(z.string()) }),
  z.strictObject({ kind: z.enum(['round', 'position']), end: z.enum(['first', 'last']) }),
]);
export type ModeVariable = z.infer<typeof modeVariable>;

/** Launches of the same command whose times fall into a slow and a fast group. */
const launchModes = z.strictObject({
  /** Number of launches in the slow group. `of`: number of launches in both groups. */
  slow: z.int().min(1),
  of: z.int().min(1),
  /** Time of the slow group divided by the time of the fast one; each is a geometric mean over launches. */
  ratio: z.number(),
  /** The recorded variable by which all slow launches can be told from all fast ones, hardly by chance; null = there is none. */
  separatedBy: modeVariable.nullable(),
});
export type LaunchModes = z.infer<typeof launchModes>;

/** A time of an operation with the parts of which it consists, and the causes that were excluded. */
const timeLedger = z.strictObject({
  time: timeEstimate,
  /**
   * Parts whose times add up to `time.ns`: causes in the order in which experiments removed them, the unexplained rest, work, and
   * the bound at the end. Without a measured bound the unexplained rest is the last part.
   */
  shares: z.array(timeShare),
  excluded: z.array(excludedCause),
});
export type TimeLedger = z.infer<typeof timeLedger>;

/**
 * A time (`ns`) to which the operation's time is compared and which no experiment measured. `title`: its name for readers.
 * `link`: computed from the rate of the link. `copy`: computed from the rate of copies in host memory. `reference`: measured in a
 * recorded run on a machine of this kind.
 */
const knownBound = z.strictObject({
  kind: z.enum(['link', 'copy', 'reference']),
  title: z.string(),
  ns: z.number(),
});
export type KnownBound = z.infer<typeof knownBound>;

/**
 * Explanation of one message size. Its time and parts are those of a typical operation: median over the samples of a launch,
 * geometric mean over launches.
 */
const explainedSize = timeLedger.extend({
  payloadBytes: z.int().min(0),
  /** Number of rounds. In each round every variant of the command was measured once, with new processes. */
  rounds: z.int().min(0),
  /**
   * Parts of the time of one operation back to back: mean over all operations of a launch, interrupted ones included, then
   * geometric mean over launches. Null if this time is not known, is less than 1.25 times `time`, or is not certain to differ from
   * it and has no certain cause.
   */
  backToBack: timeLedger.nullable(),
  /** Time in ns that 95 % of the operations do not exceed, geometric mean over launches; null = not known. */
  p95Ns: z.number().nullable(),
  /**
   * Times to which the operation's time is compared and that no experiment measured, unlike the bound in `shares`; absent = none is
   * known.
   */
  bounds: z.array(knownBound).optional(),
  /** Slow and fast group of the explained command's launches; null if the launches form one group, or are fewer than eight. */
  modes: launchModes.nullable(),
});
export type ExplainedSize = z.infer<typeof explainedSize>;

/** A possible cause that figures recorded before the experiments make likely. `text`: these figures, for readers. */
const suspectedCause = z.strictObject({ id: z.string(), title: z.string(), text: z.string() });
export type SuspectedCause = z.infer<typeof suspectedCause>;

/** A possible cause of the gap between time and bound that no experiment examined, with the reason why not, as text for readers. */
const untriedCause = z.strictObject({
  id: z.string(),
  title: z.string(),
  reason: z.string(),
  /** True if `reason` shows that the cause does not exist here; false if it may exist, but no experiment was or could be made. */
  isAbsent: z.boolean(),
});
export type UntriedCause = z.infer<typeof untriedCause>;

/** A rail: an interface or adapter between the hosts that carries messages of a series, or could carry them. */
const explainedRail = z.strictObject({
  /** Host of the rail. Of all hosts with several rails it is the one whose bytes are divided least evenly among its rails. */
  host: z.string(),
  name: z.string(),
  /** Bytes that this rail carried in the explained run, divided by those of all rails of its host, 0 to 1. */
  share: z.number(),
  /**
   * Result of the experiment that used this rail alone, at the first explained size for which rails are known (usually the
   * largest): `ratio` is the time with this rail alone divided by the time of the explained command. Null = not measured.
   */
  alone: excludedCause.nullable(),
});
export type ExplainedRail = z.infer<typeof explainedRail>;

const explainedSeries = z.strictObject({
  /** Name of the series in the plan of the explained run: "socket@ring". */
  name: z.string(),
  medium: z.string(),
  sizes: z.array(explainedSize),
  /** Possible causes that figures recorded before the experiments make likely; empty = none. The experiments tried these first. */
  suspicions: z.array(suspectedCause),
  untried: z.array(untriedCause),
  /** Rails (interfaces or adapters to the other hosts) of one host that has several; absent = no host has several. */
  rails: z.array(explainedRail).optional(),
  /**
   * Flags (warnings), such as `cpu-busy`, of the measurements of the unchanged command in the experiments. `share`: share of
   * these measurements that have the flag, 0 to 1. Empty = no flag occurred.
   */
  flags: z.array(z.strictObject({ name: z.string(), share: z.number() })),
});
export type ExplainedSeries = z.infer<typeof explainedSeries>;

/** Contents of explanation.json, which lies outside the folder of the explained run and refers to the run by its id. */
export const explanationRecord = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** Id of the explained run. */
  run: z.string(),
  /** The explained command with its options, one string per word, without the word `collbench`. */
  command: z.array(z.string()),
  /** The explained operation, such as `allreduce`. */
  operation: z.string(),
  ranks: z.int().min(1),
  /** Message sizes in bytes that the user named (`--at`); absent = chosen by collbench. */
  at: z.array(z.int().min(0)).optional(),
  series: z.array(explainedSeries),
  /** Reason why sizes or causes were left out: the time budget was spent, or the user interrupted. Null = neither happened. */
  ended: z.enum(['budget', 'interrupted']).nullable(),
  /**
   * Suggested time budget in s for explaining all sizes: 1.5 times the estimate from the time used so far; absent unless the budget
   * was too short.
   */
  wholeBudgetS: z.number().positive().optional(),
  /** Number of launches that the experiments made, including those without a result. */
  launches: z.int().min(0),
  /** Number of launches whose verification found wrong data. */
  wrongLaunches: z.int().min(0),
});
export type ExplanationRecord = z.infer<typeof explanationRecord>;
