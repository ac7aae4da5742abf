import type { Flags, OptionKey, Options } from './flag.ts';
import { howFlags } from './how.ts';
import { ncclFlags } from './nccl.ts';
import { nodeFlags } from './nodes.ts';
import { outputFlags } from './output.ts';
import { sizeFlags } from './sizes.ts';
import { whatFlags } from './what.ts';
import { whereFlags } from './where.ts';

export * from './flag.ts';
export { dtypeSynonyms, linkModels } from './values.ts';

/** Every option of a measuring command, in the order of help. */
export const flags: Flags = {
  ...sizeFlags,
  ...whatFlags,
  ...whereFlags,
  ...nodeFlags,
  ...ncclFlags,
  ...howFlags,
  ...outputFlags,
};

/** What the cpu engine takes where nothing is said; the nccl engine looks at the GPUs first. */
export const cpuDefaults = { ranks: 2, transport: ['socket'] };

/** Options that say something to one engine only. */
export const engineOnly: Partial<Record<OptionKey, Options['engine']>> = {
  ...Object.fromEntries(Object.keys(ncclFlags).map((key) => [key, 'nccl'])),
  algorithm: 'cpu',
  inProcess: 'cpu',
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
