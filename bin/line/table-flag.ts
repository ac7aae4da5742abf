import { flags, isSwitch, type OptionKey, type OptionRow } from '../options/index.ts';
import { isFile, type LineFlag } from './flag.ts';

/**
 * An option of the option table in the form for parsing. It has no default, because the config file is read before defaults
 * apply.
 */
export function tableFlag(key: OptionKey): LineFlag {
  const { fallback: _, ...flag }: OptionRow<unknown> = flags[key];
  return { ...flag, isSwitch: isSwitch(key), isFile: isFile(flag.value) };
}
