// The option table as yargs wants it.
import type { Argv, Options as YargsOptions } from 'yargs';
import type { OptionKey, Options } from './options/index.ts';
import {
  type Flag,
  flags,
  isSwitch,
  keyOfLetter,
  keyOfName,
  optionKeys,
  ValueError,
} from './options/index.ts';

/** A value as somebody wrote it, and where, for messages. */
export interface Written {
  key: OptionKey;
  text: string;
  /** "--min", "-b" or "nightly.yaml:3:1: min". */
  where: string;
  /** Read with the meaning nccl-tests gives to the letter. */
  isLetter: boolean;
  isConfig: boolean;
}

/** Which options were said, and where; defaults are not among them. */
export type Said = Map<OptionKey, Written>;

/** The options among the words; yargs tells values, but not whether "-b" or "--min" was typed. */
export function saidIn(words: readonly string[]): Said {
  const said: Said = new Map();
  for (const word of words) {
    const [where, name] = /^--(?:no-)?([^=]+)/.exec(word) ?? /^-([A-Za-z])/.exec(word) ?? [];
    if (where === undefined || name === undefined) continue;
    const isLetter = !where.startsWith('--');
    const key = isLetter ? keyOfLetter(name) : keyOfName(name);
    if (key !== undefined) said.set(key, { key, text: '', where, isLetter, isConfig: false });
  }
  return said;
}

/** @throws Error with the whole text for people: yargs keeps nothing but the message of what a coerce function throws */
export function coerce(command: string, key: OptionKey, value: unknown, said: Said): Options[OptionKey] {
  const flag: Flag<Options[OptionKey]> = flags[key];
  const written = said.get(key);
  const where = written?.where ?? `--${flag.name}`;
  const text = String(value);
  if (written !== undefined) written.text = text;
  try {
    if (value === false && !isSwitch(key)) throw new ValueError('only switches can be switched off');
    return (written?.isLetter && flag.parseShort ? flag.parseShort : flag.parse)(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const lines = [`  allowed: ${flag.allowed}`, `Next: collbench ${command} ${flag.example}`];
    throw new Error([`${where} ${text}: ${error.message}`, ...lines].join('\n'));
  }
}

/**
 * Options of a command.
 * @param said  filled with the texts while yargs reads
 * @param isLong help tells what is allowed, too
 * @param keys  those that the command takes
 */
export function withOptions(
  parser: Argv,
  command: string,
  said: Said,
  readConfig: (file: string) => Record<string, unknown>,
  isLong = false,
  keys: readonly OptionKey[] = optionKeys,
): Argv {
  const table: Record<string, YargsOptions> = {};
  for (const key of keys) {
    const flag: Flag<unknown> = flags[key];
    const more = isLong ? ` Allowed: ${flag.allowed}. Example: ${flag.example}` : '';
    table[flag.name] = {
      ...(flag.short === undefined ? {} : { alias: flag.short }),
      ...(isSwitch(key) ? { boolean: true } : { nargs: 1 }),
      group: `${flag.group}:`,
      describe: `${flag.help}${more}`,
      defaultDescription: flag.shown,
      ...(key === 'config' ? { config: true, configParser: readConfig } : {}),
      coerce: (value: unknown) => (value === undefined ? undefined : coerce(command, key, value, said)),
    };
  }
  return parser.options(table);
}
