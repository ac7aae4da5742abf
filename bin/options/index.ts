import { engineFlags } from '../../suites/engines/flags.ts';
import { transportFlags } from '../../suites/transports/flags.ts';
import type { Flags, OptionKey, Options } from './flag.ts';
import { howFlags } from './how.ts';
import { nodeFlags } from './nodes.ts';
import { outputFlags } from './output.ts';
import { sizeFlags } from './sizes.ts';
import { whatFlags } from './what.ts';
import { whereFlags } from './where.ts';

export { type Flag, ValueError } from '../../suites/options/flag.ts';
export { dtypeSynonyms } from '../../suites/options/values.ts';
export { linkModels } from '../../suites/transports/flags.ts';
export * from './flag.ts';

/** Every option of a measuring command, in the order of help. */
export const flags: Flags = {
  ...sizeFlags,
  ...whatFlags,
  ...whereFlags,
  ...transportFlags,
  ...nodeFlags,
  ...engineFlags,
  ...howFlags,
  ...outputFlags,
};

export const optionKeys = Object.keys(flags) as OptionKey[];
export const isSwitch = (key: OptionKey): boolean => flags[key].value === undefined;
export const keyOfName = (name: string): OptionKey | undefined =>
  optionKeys.find((key) => flags[key].name === name);
export const keyOfLetter = (letter: string): OptionKey | undefined =>
  optionKeys.find((key) => flags[key].short === letter);

export function defaults(): Options {
  return Object.fromEntries(optionKeys.map((key) => [key, flags[key].fallback])) as unknown as Options;
}
