// Contents of explanation.json: where the time of an operation goes. collbench writes the file and does not read it again.

/** A time in ns with its 95 % interval. */
export interface TimeEstimate {
  ns: number;
  low: number;
  high: number;
}

/**
 * Part of an operation's time. `cause`: a change of the command line takes it away. `work`: the operation needs it, as another
 * measurement shows. `bound`: no operation over this hop is faster. `unexplained`: the rest.
 */
export type ShareKind = 'cause' | 'work' | 'unexplained' | 'bound';

export interface TimeShare extends TimeEstimate {
  kind: ShareKind;
  /** Id of the cause, such as `algorithm`; equal to `kind` for the unexplained rest and the bound. */
  id: string;
  /** Name of this part of the operation's time for readers, such as "algorithm direct". */
  title: string;
  /** The experiment that measured this part, as options or a command; "" for the unexplained rest. */
  experiment: string;
  /** Options that take the cause away, by name, null = removed; empty for parts that are no cause. */
  change: Readonly<Record<string, string | null>>;
}

/** A suspected cause that an experiment excluded: without it the time is the same, or the difference is not certain. */
export interface ExcludedCause {
  id: string;
  title: string;
  experiment: string;
  /** Time with the change divided by the time without it, geometric mean over rounds; `low`, `high`: 95 % interval. */
  ratio: number;
  low: number;
  high: number;
}

/** Launches of one program that fall into two groups of different speed. */
export interface LaunchModes {
  /** Number of launches in the slow group, of all `of` launches. */
  slow: number;
  of: number;
  /** Time of the slow group over that of the fast one, geometric means. */
  ratio: number;
}

export interface ExplainedSize {
  payloadBytes: number;
  /** Rounds in which every variant was measured once, with new processes. */
  rounds: number;
  time: TimeEstimate;
  /** Parts whose times add up to `time.ns`: causes in the order of their removal, the rest, then work and the bound. */
  shares: TimeShare[];
  excluded: ExcludedCause[];
  /** Two modes of the launches of the explained command; null if they have one, or are fewer than eight. */
  modes: LaunchModes | null;
}

/** A suspected cause that could not be examined, with the reason. */
export interface UntriedCause {
  id: string;
  title: string;
  reason: string;
}

export interface ExplainedSeries {
  /** Name of the series in the plan of the run: "socket@ring". */
  name: string;
  medium: string;
  sizes: ExplainedSize[];
  untried: UntriedCause[];
  /** Flags of the measured configurations, such as `busy`, with the share of measurements that have them, 0 to 1. */
  flags: { name: string; share: number }[];
}

export interface ExplanationRecord {
  schemaVersion: 1;
  id: string;
  startedAt: string;
  /** The explained command with its options, after the word `collbench`. */
  command: string[];
  collective: string;
  ranks: number;
  series: ExplainedSeries[];
  /** Reason why no more was measured; null if all experiments are complete. */
  ended: 'budget' | 'interrupted' | null;
  /** Number of runs that were measured. */
  runs: number;
  /** Number of measured runs whose verification found wrong data. */
  wrongRuns: number;
}
