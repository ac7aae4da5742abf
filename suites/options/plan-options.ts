import type { DtypeName, EngineName, OpName } from '../../results/schema/index.ts';
import type { EngineOptions } from '../engines/flags.ts';
import type { SizeOptions } from '../sizes.ts';
import type { TransportOptions } from '../transports/options.ts';
import type { ParsedOptions } from './parsed-options.ts';

export interface SamplingOptions {
  /** Number of samples per launch; null = chosen by collbench. */
  iters: number | null;
  warmup: number;
  /** Operations per pipelined sample; 0 = chosen by collbench. */
  batch: number;
  /**
   * Number of launches (starts of all rank processes); null = 3, or 5 if a size range has few sizes. Adaptive sampling may add
   * launches.
   */
  launches: number | null;
  /**
   * Precision to reach: half the width of a figure's interval, divided by the figure. null = no target; the number of samples
   * is then fixed.
   */
  precision: number | null;
  /** Seconds for the whole run; null = 2 minutes, or more if the given launches or sizes need more. */
  budget: number | null;
  /** Maximum seconds to wait, before measuring, until no other program uses the hosts' CPUs; null = no wait. */
  waitQuiet: number | null;
  /** True if configurations whose results are flagged as disturbed are measured again at the end of the run. */
  retryFlagged: boolean;
  check: number;
  average: 'slowest';
  /** Seconds that a block or the start of a launch may take before it counts as hung. */
  timeout: number;
  /** Seed of the random order of blocks; null = a random seed, which the run records. */
  seed: number | null;
  /** Microseconds between two readings of the system load; null = off. */
  sampleInterval: number | null;
}

/** All options that determine the plan of a run, except the hosts. */
export interface PlanOptions extends SizeOptions, SamplingOptions, TransportOptions, EngineOptions {
  /** Options that only the measured workload has, by name; each value as typed, or its default. */
  words: Record<string, string>;
  dtype: DtypeName[];
  op: OpName[];
  root: number[] | 'all';
  inPlace: boolean[];
  /** Concurrent loads as typed ("compute:2"); each is measured in addition to the series without load. Empty = no load. */
  beside: string[];
  /**
   * Number of ranks; null = the engine's default: 2 (cpu), one per GPU (nccl), or the total number of slots of the given hosts.
   */
  ranks: number | null;
  engine: EngineName;
  /** Names of the requested transports; null = the engine's default transport. */
  transport: string[] | null;
}

/** The plan options that the user gave. `groups` is included, although it needs hosts, because groups change the sampling. */
export type ParsedPlanOptions = ParsedOptions<Exclude<keyof PlanOptions, 'words'> | 'groups'>;
