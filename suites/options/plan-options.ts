import type { EngineName } from '../../results/schema/index.ts';
import type { EngineOptions } from '../engines/options.ts';
import type { TransportOptions } from '../transports/options.ts';
import type { OptionValues } from './option.ts';
import type { ParsedOptions } from './parsed-options.ts';
import type { SamplingOptions } from './sampling-options.ts';
import type { SizeOptions } from './size-options.ts';
import type { whatOptionRows } from './what-options.ts';

/** Values of all options that determine what a run measures and how: sizes, samples, transport, engine; not the hosts. */
export interface PlanOptions
  extends SizeOptions,
    OptionValues<typeof whatOptionRows>,
    SamplingOptions,
    TransportOptions,
    EngineOptions {
  /** Options of the measured workload alone, by name. Each value is the text that the user typed, or the default. */
  words: Record<string, string>;
  /**
   * Number of ranks; null = as many as the requested hosts have room for, or without hosts the engine's default: 2 (cpu), one per
   * GPU (nccl).
   */
  ranks: number | null;
  engine: EngineName;
  /** Names of the requested transports; null = the engine's default transport. */
  transport: string[] | null;
}

/** Options in PlanOptions that the user gave, as text. `groups` is among them, because it affects sampling. */
export type ParsedPlanOptions = ParsedOptions<Exclude<keyof PlanOptions, 'words'> | 'groups'>;
