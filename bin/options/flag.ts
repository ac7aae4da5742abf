import type { HostOptions } from '../../orchestration/preparing/host-options.ts';
import type { OptionRowsFor } from '../../suites/options/flag.ts';
import type { ParsedOptions as SaidOf } from '../../suites/options/parsed-options.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';

/** Options about results: where they are written, and what is done instead of measuring. */
export interface OutputOptions {
  /** Name that the user gives to the run; null = only its id. */
  label: string | null;
  tag: Record<string, string>;
  note: string | null;
  out: string | null;
  json: boolean;
  /** True if result lines are also printed as JSON while their cells are still being measured. */
  jsonLive: boolean;
  jsonFile: string | null;
  planOnly: boolean;
  explain: boolean;
  /** True if all sentences below the table of a run are printed; false = only the verdicts. */
  verbose: boolean;
  config: string | null;
}

/** Values of all options of a measuring command, one field per row of `flags`. Sizes are bytes. */
export interface MeasuringCommandOptions extends PlanOptions, HostOptions, OutputOptions {}

/**
 * Values of the options in the option table. Options that only one workload has are in the workload's table (suites/workloads).
 */
export type OptionTableValues = Omit<MeasuringCommandOptions, 'words'>;
export type OptionKey = keyof OptionTableValues;
export type OptionRows = OptionRowsFor<OptionTableValues>;
export type CommandLineOptions = SaidOf<OptionKey>;

/** Headings of help under which options are listed, in their order. */
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
