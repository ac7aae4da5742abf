import { type HostOptions, hostOptionRows } from '../../orchestration/preparing/host-options.ts';
import { engineOptionRows } from '../../suites/engines/options.ts';
import { defaultsOf, namesOf, type OptionRow, optionName } from '../../suites/options/option.ts';
import type { OptionText, ParsedOptions } from '../../suites/options/parsed-options.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';
import { samplingOptionRows } from '../../suites/options/sampling-options.ts';
import { sizeOptionRows } from '../../suites/options/size-options.ts';
import { whatOptionRows } from '../../suites/options/what-options.ts';
import { transportOptionRows } from '../../suites/transports/options.ts';
import { type OutputOptions, outputOptionRows } from './output.ts';
import { whereOptionRows } from './where.ts';

const rows = {
  ...sizeOptionRows,
  ...whatOptionRows,
  ...whereOptionRows,
  ...transportOptionRows,
  ...hostOptionRows,
  ...engineOptionRows,
  ...samplingOptionRows,
  ...outputOptionRows,
};

/** Values of all options of a measuring command (such as `allreduce`), by key, with defaults filled in. Sizes are in bytes. */
export interface MeasuringCommandOptions extends PlanOptions, HostOptions, OutputOptions {}

export type OptionKey = keyof typeof rows;
export type CommandLineOptions = ParsedOptions<OptionKey>;

/**
 * Option table of the measuring commands, by key, in the order of help. Options that only one workload has are not in this table.
 */
export const optionRows: Readonly<Record<OptionKey, OptionRow>> = rows;
export const optionKeys = Object.keys(rows) as OptionKey[];

/**
 * Key of the measuring commands' option with this long name (of collbench or nccl-tests, without "--"); undefined if there is none.
 */
export const keyOfName = (name: string): OptionKey | undefined =>
  optionKeys.find((key) => name.length > 1 && namesOf(key, optionRows[key]).includes(name));

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(rows, key);

/**
 * Values of all options of a measuring command: those in `values`, by key, and defaults for all others. Keys in `values` that are
 * not options are dropped.
 */
export const withDefaults = (values: Readonly<Record<string, unknown>> = {}): MeasuringCommandOptions => ({
  words: {},
  ...(defaultsOf(optionRows) as unknown as Omit<MeasuringCommandOptions, 'words'>),
  ...Object.fromEntries(Object.entries(values).filter(([key]) => isOptionKey(key))),
});

/**
 * Options that select hosts and the way to connect to them, in the order of help. Every command that can use remote hosts has
 * all of them.
 */
export const hostKeys = [
  'hosts',
  'hostfile',
  'launcher',
  'selector',
  'namespace',
  'container',
  'rsh',
  'sshConfig',
  'knownHosts',
  'identity',
  'remoteDir',
  'agent',
] as const satisfies readonly OptionKey[];

export interface OptionWord extends OptionText {
  key: OptionKey;
}

/** Options of measuring commands that the user gave, by key, each with its text and how it was typed, such as "-b". */
export class ParsedWords extends Map<OptionKey, OptionWord> implements CommandLineOptions {
  /** Options that only the measured workload has, such as --window of `put`, by name. */
  readonly ofWorkload = new Map<string, OptionText>();

  where(key: OptionKey): string {
    return this.get(key)?.where ?? `--${optionName(key)}`;
  }

  typed(key: string): OptionText | undefined {
    const word = this.get(key as OptionKey) ?? this.ofWorkload.get(key);
    return word?.isConfig === true ? undefined : word;
  }

  /**
   * Words "--NAME=TEXT" that set the same options again; plans of runs store them. They are not quoted. Options that only the
   * workload has are not included.
   * @param omitted keys of options to leave out
   */
  asWords(omitted: readonly OptionKey[] = []): string[] {
    const kept = [...this.values()].filter(({ key }) => !omitted.includes(key));
    return kept.map(({ key, text }) => `--${optionName(key)}=${text}`);
  }
}
