import type { HostOptions } from '../../orchestration/preparing/host-options.ts';
import type { OptionRowsFor } from '../../suites/options/flag.ts';
import type { ParsedOptions as SaidOf } from '../../suites/options/parsed-options.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';

/** Options about results: where they go, and what is done instead of measuring. */
export interface OutputOptions {
  /** Name of the run, in addition to its id. */
  label: string | null;
  tag: Record<string, string>;
  note: string | null;
  out: string | null;
  json: boolean;
  /** Whether cells are also printed while they are measured, as JSON. */
  jsonLive: boolean;
  jsonFile: string | null;
  planOnly: boolean;
  explain: boolean;
  /** Whether all sentences below the table of a run are printed, not only the verdicts. */
  verbose: boolean;
  config: string | null;
}

/** All options of a measuring command, one field per row of `flags`. Sizes are bytes. */
export interface MeasuringCommandOptions extends PlanOptions, HostOptions, OutputOptions {}

/** Options of the option table. Options of single workloads have their own rows (suites/workloads). */
export type OptionTableValues = Omit<MeasuringCommandOptions, 'words'>;
export type OptionKey = keyof OptionTableValues;
export type OptionRows = OptionRowsFor<OptionTableValues>;
export type CommandLineOptions = SaidOf<OptionKey>;

/** Headings of help in their order. */
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
