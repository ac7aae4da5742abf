// Options of a single command as a table: help, parsing and types are derived from its rows.
import { defaultRoot } from '../../../results/store/paths.ts';
import { isFile, type LineFlag } from '../../line/flag.ts';
import type { ParsedValues } from '../../line/read.ts';
import { shellWord } from '../../line/retype-command.ts';

interface FlagBase {
  help: string;
  /** The default value as help shows it. */
  shown?: string;
}

interface ValueFlag<T> extends FlagBase {
  /** Alternative spelling of the option as a single letter. */
  short?: string;
  /** Placeholder for the value in help. If it is FILE or DIR, the shell completes file names. */
  value?: string;
  /** Value if the option is given without one; absent = a value is required. */
  alone?: string;
  /** Values that completion offers. */
  words?: readonly string[];
  /** Default value as text, which is parsed in the same way as a typed value. */
  fallback?: string;
  /** Allowed values, for error messages. */
  allowed?: string;
  /** Converts the value's text. @throws {ValueError} if the value is invalid */
  parse(text: string): T;
}

export type CommandFlags = Readonly<Record<string, FlagBase | ValueFlag<unknown>>>;
type FlagValue<F> = F extends { parse(text: string): infer T }
  ? F extends { fallback: string }
    ? T
    : T | undefined
  : boolean;
export type CommandFlagValues<F extends CommandFlags> = { readonly [K in keyof F]: FlagValue<F[K]> };

export interface OptionTable<F extends CommandFlags> {
  flags: readonly LineFlag[];
  read(found: ParsedValues): CommandFlagValues<F>;
}

function lineFlag(name: string, flag: FlagBase | ValueFlag<unknown>): LineFlag {
  if ('parse' in flag) return { ...flag, name, isSwitch: false, isFile: isFile(flag.value) };
  return { ...flag, name, isSwitch: true, parse: (text) => text === 'true' };
}

/**
 * Makes the table of the options that a command does not share with others.
 * @param flags options by name, without dashes
 */
export function optionTable<F extends CommandFlags>(flags: F): OptionTable<F> {
  const rows = Object.entries(flags);
  return {
    flags: rows.map(([name, flag]) => lineFlag(name, flag)),
    read: (found) =>
      Object.fromEntries(
        rows.map(([name, flag]) => [name, 'parse' in flag ? found[name] : found[name] === true]),
      ) as CommandFlagValues<F>,
  };
}

export const rootFlag = {
  root: { help: 'Where runs are kept', value: 'DIR', fallback: defaultRoot, parse: String },
} as const satisfies CommandFlags;

/**
 * Option to append to a suggested command, so that it uses the same folder of runs: " --root DIR". "" for the default folder.
 */
export const rootWords = (root: string): string => (root === defaultRoot ? '' : ` --root ${shellWord(root)}`);

export const jsonFlag = { json: { help: 'One JSON object per line' } } as const satisfies CommandFlags;
