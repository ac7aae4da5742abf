import type {
  DtypeName,
  GroupsPlan,
  OpName,
  RunPlan,
  SamplingPlan,
  TransportPlan,
} from '../results/schema/index.ts';
import type { SizeRule } from './sizes.ts';

/** The checked options of a command line; `makePlan` expands them to points and blocks. */
export interface PlanInput extends WorkInput {
  sampling: SamplingPlan;
  /** Microseconds between two readings of the system load on each host; null or absent = no readings. */
  metricsIntervalUs?: number | null;
  /** Factor on all estimated times, because the machine is busy; absent = 1. */
  slowdown?: number;
  /** Measured seconds to start the agents and inspect the hosts; absent = the usual time. */
  preparingS?: number;
}

/** The work to measure, independent of how it is sampled. */
export interface WorkInput {
  /** The command line as typed, shown to people. */
  typed: string[];
  /** Word of the command line that selects the workload or collective: "allreduce", "pingpong". */
  command: string;
  engine: string;
  /** Options of this workload only, by name, as typed or as their defaults. */
  words: Record<string, string>;
  /** Engine settings that apply to all launches. */
  settings?: Record<string, string>;
  algorithm: string | null;
  ranks: number;
  /** Name of the only host; used if `hosts` is absent. */
  host?: string;
  hosts?: RunPlan['hosts'];
  launcher?: string;
  /** Groups of ranks; all of one size if the collective divides its data by ranks. */
  groups?: GroupsPlan;
  inProcess: boolean;
  transports: TransportPlan[];
  dtypes: readonly DtypeName[];
  /** Ignored by collectives that reduce nothing. */
  ops: readonly OpName[];
  /** Ignored by collectives without a root. */
  roots: readonly number[] | 'all';
  inPlace: readonly boolean[];
  sizes: SizeRule;
}
