import type { DtypeName, EngineName, OpName } from '../../results/schema/index.ts';
import type { EngineOptions } from '../engines/flags.ts';
import type { SizeOptions } from '../sizes.ts';
import type { TransportOptions } from '../transports/options.ts';
import type { ParsedOptions } from './parsed-options.ts';

export interface SamplingOptions {
  /** Samples per launch, `null` = chosen. */
  iters: number | null;
  warmup: number;
  /** Operations per pipelined sample, 0 = chosen. */
  batch: number;
  /** `null` = 3, and more where adaptive sampling may open them. */
  launches: number | null;
  /** Wanted half width, a share of the figure; `null` = off, fixed counts. */
  precision: number | null;
  /** Seconds of the whole run; `null` = 2 minutes, more where named launches or sizes need them. */
  budget: number | null;
  /** Seconds to wait for quiet machines at most, `null` = not. */
  waitQuiet: number | null;
  /** Measure disturbed configurations again at the end. */
  retryFlagged: boolean;
  check: number;
  average: 'slowest';
  /** Seconds. */
  timeout: number;
  /** `null` = drawn and recorded. */
  seed: number | null;
  /** Microseconds, `null` = off. */
  sampleInterval: number | null;
}

/** What decides over the plan of a run, beside the machines it runs on. */
export interface PlanOptions extends SizeOptions, SamplingOptions, TransportOptions, EngineOptions {
  /** Options of the workload alone, by name, as typed or as their defaults. */
  words: Record<string, string>;
  dtype: DtypeName[];
  op: OpName[];
  root: number[] | 'all';
  inPlace: boolean[];
  /** Loads as typed ("compute:2"), beside each of which all is measured once more; empty = quiet alone. */
  beside: string[];
  /** `null` = as many as the engine takes by itself, 2 (cpu), one for each GPU (nccl), or as the nodes have room for. */
  ranks: number | null;
  engine: EngineName;
  /** `null` = the usual one of the engine. */
  transport: string[] | null;
}

/** Which of them were said. Groups, which need machines, change how is sampled. */
export type ParsedPlanOptions = ParsedOptions<Exclude<keyof PlanOptions, 'words'> | 'groups'>;
