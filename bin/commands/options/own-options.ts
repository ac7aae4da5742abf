// Options that a command has of its own, as a table: help, reading and types come from its rows.
import { defaultRoot } from '../../../results/store/paths.ts';
import { isFile, type LineFlag } from '../../line/flag.ts';
import type { ParsedValues } from '../../line/read.ts';
import { shellWord } from '../../line/retype-command.ts';

interface FlagBase {
  help: string;
  /** The default as help shows it. */
  shown?: string;
}

interface ValueFlag<T> extends FlagBase {
  /** One letter. */
  short?: string;
  /** Stands for the value in help; FILE and DIR let the shell complete. */
  value?: string;
  /** What it says without a value; absent = it needs one. */
  alone?: string;
  /** Offered by completion. */
  words?: readonly string[];
  /** Read as if it had been said. */
  fallback?: string;
  /** For the error. */
  allowed?: string;
  /** @throws {ValueError} */
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

/** @param flags by name as typed, without the dashes */
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

/** What a printed command must add to read the same folder of runs. */
export const rootWords = (root: string): string => (root === defaultRoot ? '' : ` --root ${shellWord(root)}`);

export const jsonFlag = { json: { help: 'One JSON object per line' } } as const satisfies CommandFlags;
