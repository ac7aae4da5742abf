import type { HostOptions } from '../../orchestration/preparing/host-options.ts';
import type { FlagsOf } from '../../suites/options/flag.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';
import type { Said as SaidOf } from '../../suites/options/said.ts';

/** Where figures go, and what is done in place of measuring. */
export interface OutputOptions {
  out: string | null;
  json: boolean;
  jsonFile: string | null;
  planOnly: boolean;
  explain: boolean;
  config: string | null;
}

/** What a measuring command understood; one field per row of `flags`. Sizes are bytes. */
export interface Options extends PlanOptions, HostOptions, OutputOptions {}

export type OptionKey = keyof Options;
export type Flags = FlagsOf<Options>;
export type Said = SaidOf<OptionKey>;

/** Headings of help, in their order. */
export const groups = [
  'Sizes',
  'What is measured',
  'Where it runs',
  'Nodes',
  'NCCL engine',
  'How it is measured',
  'Output',
] as const;
