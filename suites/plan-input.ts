import type {
  DtypeName,
  GroupsPlan,
  OpName,
  RunPlan,
  SamplingPlan,
  TransportPlan,
} from '../results/schema/index.ts';
import type { SizeRule } from './sizes.ts';

/** What was asked for, checked word by word; `makePlan` multiplies it out. */
export interface PlanInput extends WorkInput {
  sampling: SamplingPlan;
  /** Between two readings of each machine; null or absent = none. */
  metricsIntervalUs?: number | null;
  /** How many times as long everything takes, because the machine is busy; absent = 1. */
  slowdown?: number;
  /** Seconds that starting the agents and reading the machines took; absent = the usual time. */
  preparingS?: number;
}

/** What is measured, whatever the effort. */
export interface WorkInput {
  /** As typed, for people. */
  typed: string[];
  /** The word that says what is measured: "allreduce", "pingpong". */
  command: string;
  engine: string;
  /** Options of the workload alone, as typed or as their defaults. */
  words: Record<string, string>;
  /** Words of the engine for all launches. */
  settings?: Record<string, string>;
  algorithm: string | null;
  ranks: number;
  /** The one machine, where `hosts` is absent. */
  host?: string;
  hosts?: RunPlan['hosts'];
  launcher?: string;
  /** All of one size, where the collective divides its data by ranks. */
  groups?: GroupsPlan;
  inProcess: boolean;
  transports: TransportPlan[];
  dtypes: readonly DtypeName[];
  /** Left out of account where nothing is reduced. */
  ops: readonly OpName[];
  /** Left out of account where there is no root. */
  roots: readonly number[] | 'all';
  inPlace: readonly boolean[];
  sizes: SizeRule;
}
