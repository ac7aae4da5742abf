// Contents of explanation.json: where the time of an operation goes.
import { z } from 'zod';

/** A time in ns with its 95 % interval. */
const timeEstimate = z.strictObject({ ns: z.number(), low: z.number(), high: z.number() });
export type TimeEstimate = z.infer<typeof timeEstimate>;

/**
 * Part of an operation's time. `cause`: a change of the command line takes it away. `work`: the operation needs it, as another
 * measurement shows. `bound`: no operation over this hop is faster. `unexplained`: the rest.
 */
const shareKinds = ['cause', 'work', 'unexplained', 'bound'] as const;
export type ShareKind = (typeof shareKinds)[number];

/** The names of a part of an operation's time, or of a suspected cause. */
const partNames = z.strictObject({
  /** Id of the cause, such as `algorithm`; of a part of another kind, the id of the measurement that shows it, or its kind. */
  id: z.string(),
  /** Name for readers, such as "algorithm direct". */
  title: z.string(),
  /** The experiment that measured the part, as options or a command; "" for the unexplained rest. */
  experiment: z.string(),
});

const timeShare = timeEstimate.extend({
  kind: z.enum(shareKinds),
  ...partNames.shape,
  /** Options that take the cause away, by name, null = removed; empty for parts that are no cause. */
  change: z.record(z.string(), z.string().nullable()),
  /** Environment variables without which the cause is gone; empty for other causes and parts that are no cause. */
  unset: z.array(z.string()),
});
export type TimeShare = z.infer<typeof timeShare>;

/** A suspected cause that an experiment excluded: without it the time is the same, or the difference is not certain. */
const excludedCause = partNames.extend({
  /** Time with the change divided by the time without it, geometric mean over rounds; `low`, `high`: 95 % interval. */
  ratio: z.number(),
  low: z.number(),
  high: z.number(),
});
export type ExcludedCause = z.infer<typeof excludedCause>;

/**
 * A recorded variable whose values differ between all slow and all fast launches. `flag`: all slow launches have it, no fast one.
 * `load`: busy cores of other processes, lowest of the slow and highest of the fast launches. `cpus`: CPUs of the ranks. `round`,
 * `position`: the slow launches are the first or the last, of all rounds or within their rounds.
 */
const modeVariable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('flag'), flag: z.string() }),
  z.strictObject({ kind: z.literal('load'), slowCores: z.number(), fastCores: z.number() }),
  z.strictObject({ kind: z.literal('cpus'), slow: z.array(z.string()), fast: z.array(z.string()) }),
  z.strictObject({ kind: z.enum(['round', 'position']), end: z.enum(['first', 'last']) }),
]);
export type ModeVariable = z.infer<typeof modeVariable>;

/** Launches of one program that fall into two groups of different speed. */
const launchModes = z.strictObject({
  /** Number of launches in the slow group, of all `of` launches. */
  slow: z.int().min(1),
  of: z.int().min(1),
  /** Time of the slow group over that of the fast one, geometric means. */
  ratio: z.number(),
  /** The recorded variable that separates the groups completely, and hardly by chance; null = none does. */
  separatedBy: modeVariable.nullable(),
});
export type LaunchModes = z.infer<typeof launchModes>;

/** A time with its parts. */
const timeLedger = z.strictObject({
  time: timeEstimate,
  /** Parts whose times add up to `time.ns`: causes in the order of their removal, the rest, then work and the bound. */
  shares: z.array(timeShare),
  excluded: z.array(excludedCause),
});
export type TimeLedger = z.infer<typeof timeLedger>;

/**
 * A time that no experiment measured and that bounds the operation. `link`: the rate of the link, `copy`: that of copies in host
 * memory, `reference`: a recorded run of such a machine.
 */
const knownBound = z.strictObject({
  kind: z.enum(['link', 'copy', 'reference']),
  title: z.string(),
  ns: z.number(),
});
export type KnownBound = z.infer<typeof knownBound>;

/** Parts of the time of a typical operation: the median over the samples of a launch, geometric mean over launches. */
const explainedSize = timeLedger.extend({
  payloadBytes: z.int().min(0),
  /** Rounds in which every variant was measured once, with new processes. */
  rounds: z.int().min(0),
  /**
   * Parts of the time back to back: the mean over all operations of a launch, also those that are stopped, geometric mean over
   * launches. Null if it is not certain to be at least 1.25 times `time`, or not known.
   */
  backToBack: timeLedger.nullable(),
  /** Time in ns that 95 % of the operations do not exceed, geometric mean over launches; null = not known. */
  p95Ns: z.number().nullable(),
  /** Bounds besides the measured one in `shares`; absent = none is known. */
  bounds: z.array(knownBound).optional(),
  /** Two modes of the launches of the explained command; null if they have one, or are fewer than eight. */
  modes: launchModes.nullable(),
});
export type ExplainedSize = z.infer<typeof explainedSize>;

/** A cause for which figures of the recorded run speak. `text`: these figures. */
const suspectedCause = z.strictObject({ id: z.string(), title: z.string(), text: z.string() });
export type SuspectedCause = z.infer<typeof suspectedCause>;

/** A possible cause of the gap that no experiment examined, with the reason why not. */
const untriedCause = z.strictObject({
  id: z.string(),
  title: z.string(),
  reason: z.string(),
  /** True if `reason` is a fact by which the cause is not at work here; false if it could be, but was not or could not be tried. */
  isAbsent: z.boolean(),
});
export type UntriedCause = z.infer<typeof untriedCause>;

/** An interface or adapter between the hosts that carries messages of a series, or could. */
const explainedRail = z.strictObject({
  /** The host whose bytes are shared least evenly. */
  host: z.string(),
  name: z.string(),
  /** Its share of the bytes of all rails of this host in the explained run, 0 to 1. */
  share: z.number(),
  /** The experiment that used this rail alone, at the size that was explained first; null = not measured. */
  alone: excludedCause.nullable(),
});
export type ExplainedRail = z.infer<typeof explainedRail>;

const explainedSeries = z.strictObject({
  /** Name of the series in the plan of the run: "socket@ring". */
  name: z.string(),
  medium: z.string(),
  sizes: z.array(explainedSize),
  /** Causes that recorded figures made suspects; the experiments tried them first. */
  suspicions: z.array(suspectedCause),
  untried: z.array(untriedCause),
  /** The rails of a host that has several; absent = no host has. */
  rails: z.array(explainedRail).optional(),
  /** Flags of the measured configurations, such as `busy`, with the share of measurements that have them, 0 to 1. */
  flags: z.array(z.strictObject({ name: z.string(), share: z.number() })),
});
export type ExplainedSeries = z.infer<typeof explainedSeries>;

/** Contents of explanation.json. The explanation names its run; the folder of the run does not change. */
export const explanationRecord = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** Id of the explained run. */
  run: z.string(),
  /** The explained command with its options, after the word `collbench`. */
  command: z.array(z.string()),
  /** The explained operation, such as `allreduce`. */
  operation: z.string(),
  ranks: z.int().min(1),
  /** Sizes in bytes that --at named; absent = the usual ones. */
  at: z.array(z.int().min(0)).optional(),
  series: z.array(explainedSeries),
  /** Reason why no more was measured; null if all experiments are complete. */
  ended: z.enum(['budget', 'interrupted']).nullable(),
  /** Time in s that all sizes together need, by what was measured; absent if all were explained. */
  wholeBudgetS: z.number().positive().optional(),
  /** Number of launches that the experiments made, including those without a result. */
  launches: z.int().min(0),
  /** Number of launches whose verification found wrong data. */
  wrongLaunches: z.int().min(0),
});
export type ExplanationRecord = z.infer<typeof explanationRecord>;
