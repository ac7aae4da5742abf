import { hostFlags } from '../../orchestration/preparing/host-flags.ts';
import { engineFlags } from '../../suites/engines/flags.ts';
import { samplingFlags } from '../../suites/options/sampling-flags.ts';
import { sizeFlags } from '../../suites/options/size-flags.ts';
import { whatFlags } from '../../suites/options/what-flags.ts';
import { transportFlags } from '../../suites/transports/flags.ts';
import type { MeasuringCommandOptions, OptionKey, OptionRows } from './flag.ts';
import { outputFlags } from './output.ts';
import { whereFlags } from './where.ts';

export { type OptionRow, ValueError } from '../../suites/options/flag.ts';
export { dtypeSynonyms } from '../../suites/options/values.ts';
export * from './flag.ts';

/** The option table: every option of a measuring command, in the order of help. */
export const flags: OptionRows = {
  ...sizeFlags,
  ...whatFlags,
  ...whereFlags,
  ...transportFlags,
  ...hostFlags,
  ...engineFlags,
  ...samplingFlags,
  ...outputFlags,
};

export const optionKeys = Object.keys(flags) as OptionKey[];
export const isSwitch = (key: OptionKey): boolean => flags[key].value === undefined;
export const keyOfName = (name: string): OptionKey | undefined =>
  optionKeys.find((key) => flags[key].name === name || flags[key].alias === name);
export const keyOfLetter = (letter: string): OptionKey | undefined =>
  optionKeys.find((key) => flags[key].short === letter);

export function defaults(): MeasuringCommandOptions {
  const table = Object.fromEntries(optionKeys.map((key) => [key, flags[key].fallback]));
  return { words: {}, ...table } as unknown as MeasuringCommandOptions;
}
