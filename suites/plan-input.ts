import type {
  DtypeName,
  GroupsPlan,
  OpName,
  RunPlan,
  SamplingPlan,
  TransportPlan,
} from '../results/schema/index.ts';
import type { SizeRule } from './sizes.ts';

/** Checked options of a command line, from which `makePlan` makes a plan: which points to measure, on which ranks and how. */
export interface PlanInput extends WorkInput {
  sampling: SamplingPlan;
  /** Microseconds between two readings of the system load on each host; null or absent = the system load is not read. */
  metricsIntervalUs?: number | null;
  /** Sources of the system load (such as CPU or network) that are read; absent = all sources that a host has. */
  metricsSources?: readonly string[] | undefined;
  /** Factor by which a busy machine lengthens all estimated times except `preparingS`; absent = 1. */
  slowdown?: number;
  /** Measured seconds to start the agents and inspect the hosts; absent = the usual time, multiplied by `slowdown`. */
  preparingS?: number;
}

/** The operations to measure, without the rules for sampling. */
export interface WorkInput {
  /** The words of the command line as typed, "collbench" first, as reports show them. */
  typed: string[];
  /** Measuring command, which selects the workload, such as "pingpong", or the collective, such as "allreduce". */
  command: string;
  engine: string;
  /**
   * Options of the measured workload alone, such as --window of `put`, by name. The value is the text that the user typed, or the
   * default.
   */
  words: Record<string, string>;
  /**
   * Settings of the engine for all launches, by name: texts as agents receive them, such as { graph: "1" }. Absent = the engine's
   * defaults.
   */
  settings?: Record<string, string>;
  algorithm: string | null;
  ranks: number;
  /** Name of the only host, used if `hosts` is absent; absent = localhost. */
  host?: string;
  hosts?: RunPlan['hosts'];
  launcher?: string;
  /**
   * Groups of ranks that measure at the same time; absent = all ranks are one group. Groups differ in size only if ranks have equal
   * work in all of them (WorkloadPlanning.isAlike()).
   */
  groups?: GroupsPlan;
  inProcess: boolean;
  /** Scheduling priority of the rank processes, as stored in the plan; absent = the system's default. */
  priority?: RunPlan['priority'];
  cpuQuota?: RunPlan['cpuQuota'];
  transports: TransportPlan[];
  dtypes: readonly DtypeName[];
  /** Reduction operators to measure; ignored by collectives that reduce nothing. */
  ops: readonly OpName[];
  /** Root ranks to measure, each as a separate point; `all` = every rank. Ignored by collectives without a root. */
  roots: readonly number[] | 'all';
  inPlace: readonly boolean[];
  sizes: SizeRule;
}
