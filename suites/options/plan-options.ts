import type { DtypeName, EngineName, OpName } from '../../results/schema/index.ts';
import type { EngineOptions } from '../engines/flags.ts';
import type { SizeOptions } from '../sizes.ts';
import type { TransportOptions } from '../transports/options.ts';
import type { ParsedOptions } from './parsed-options.ts';

export interface SamplingOptions {
  /** Samples per launch; null = chosen by collbench. */
  iters: number | null;
  warmup: number;
  /** Operations per pipelined sample; 0 = chosen by collbench. */
  batch: number;
  /** Number of launches; null = 3, or 5 if a size range has few sizes, and more if adaptive sampling may add launches. */
  launches: number | null;
  /** Target half width of the intervals, as a share of the figure; null = no target, fixed counts. */
  precision: number | null;
  /** Seconds for the whole run; null = 2 minutes, more if explicit launches or sizes need them. */
  budget: number | null;
  /** Maximum seconds to wait until all hosts are quiet; null = no wait. */
  waitQuiet: number | null;
  /** Whether disturbed configurations are measured again at the end. */
  retryFlagged: boolean;
  check: number;
  average: 'slowest';
  /** Seconds that a block or the start of a launch may take before it counts as hung. */
  timeout: number;
  /** Seed of the random order; null = chosen at random and recorded. */
  seed: number | null;
  /** Microseconds between two readings of the system load; null = off. */
  sampleInterval: number | null;
}

/** All options that determine the plan of a run, except the hosts. */
export interface PlanOptions extends SizeOptions, SamplingOptions, TransportOptions, EngineOptions {
  /** Options of the workload only, by name, as typed or as their defaults. */
  words: Record<string, string>;
  dtype: DtypeName[];
  op: OpName[];
  root: number[] | 'all';
  inPlace: boolean[];
  /** Concurrent loads as typed ("compute:2"); each is measured in addition to the series without load. Empty = no load. */
  beside: string[];
  /** Number of ranks; null = the engine's default: 2 (cpu), one per GPU (nccl), or as many as the hosts have slots for. */
  ranks: number | null;
  engine: EngineName;
  /** Transport names; null = the engine's usual transport. */
  transport: string[] | null;
}

/** The plan options that the user gave. `groups` is included, although it needs hosts, because groups change the sampling. */
export type ParsedPlanOptions = ParsedOptions<Exclude<keyof PlanOptions, 'words'> | 'groups'>;
