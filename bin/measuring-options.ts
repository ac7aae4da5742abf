// The option table as yargs wants it.
import type { Argv, Options as YargsOptions } from 'yargs';
import {
  type Flag,
  flags,
  isSwitch,
  type OptionKey,
  type Options,
  optionKeys,
  ValueError,
} from './options/index.ts';
import type { SaidWords } from './said-words.ts';

/** @throws Error with the whole text for people: yargs keeps nothing but the message of what a coerce function throws */
export function coerce(command: string, key: OptionKey, value: unknown, said: SaidWords): Options[OptionKey] {
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
  said: SaidWords,
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
