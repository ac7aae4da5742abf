import type { HostOptions } from '../../orchestration/preparing/host-options.ts';
import type { OptionRowsFor } from '../../suites/options/flag.ts';
import type { ParsedOptions as SaidOf } from '../../suites/options/parsed-options.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';

/** Where figures go, and what is done in place of measuring. */
export interface OutputOptions {
  /** Name of this run, beside its id. */
  label: string | null;
  tag: Record<string, string>;
  note: string | null;
  out: string | null;
  json: boolean;
  /** Cells as they come, too. */
  jsonLive: boolean;
  jsonFile: string | null;
  planOnly: boolean;
  explain: boolean;
  /** All sentences under the table of a run, not the verdicts alone. */
  verbose: boolean;
  config: string | null;
}

/** What a measuring command understood; one field per row of `flags`. Sizes are bytes. */
export interface MeasuringCommandOptions extends PlanOptions, HostOptions, OutputOptions {}

/** Options of a workload alone have rows of their own (suites/workloads). */
export type OptionTableValues = Omit<MeasuringCommandOptions, 'words'>;
export type OptionKey = keyof OptionTableValues;
export type OptionRows = OptionRowsFor<OptionTableValues>;
export type CommandLineOptions = SaidOf<OptionKey>;

/** Headings of help, in their order. */
export const groups = [
  'Sizes',
  'What is measured',
  'Where it runs',
  'Nodes',
  'NCCL engine',
  'Training',
  'How it is measured',
  'Output',
] as const;
