import { flags, isSwitch, type OptionKey, type OptionRow } from '../options/index.ts';
import { isFile, type LineFlag } from './flag.ts';

/** A row of the option table. Its default is set once the config file was read. */
export function tableFlag(key: OptionKey): LineFlag {
  const { fallback: _, ...flag }: OptionRow<unknown> = flags[key];
  return { ...flag, isSwitch: isSwitch(key), isFile: isFile(flag.value) };
}
