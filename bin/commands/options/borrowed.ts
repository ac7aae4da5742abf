// Options of the collectives that another command takes, with their meaning there.
import type { Argv } from 'yargs';
import { CommandError } from '../../exit.ts';
import { withOptions } from '../../measuring-options.ts';
import { defaults, flags, type OptionKey, type Options } from '../../options/index.ts';
import { type SaidWords, saidIn } from '../../said-words.ts';
import type { Found } from '../found.ts';

export interface Borrowed<K extends OptionKey> {
  /** Which were said, and how. */
  said: SaidWords;
  declare(parser: Argv): Argv;
  /** Those that were said. */
  read(found: Found): Partial<Pick<Options, K>>;
  /** All of a measurement: what was not said, or is not taken here, has its default. */
  all(found: Found): Options;
}

/**
 * @param words behind the command, as typed
 * @param shown defaults and meanings that differ here
 */
export function borrowed<K extends OptionKey>(
  command: string,
  words: readonly string[],
  keys: readonly K[],
  shown: Partial<Record<OptionKey, { describe?: string; defaultDescription?: string }>> = {},
): Borrowed<K> {
  const said = saidIn(words);
  const noConfig = () => {
    throw new CommandError(`${command} reads no config file`);
  };
  const read = (found: Found) => {
    const values = keys.map((key) => [key, found[flags[key].name]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<Pick<Options, K>>;
  };
  return {
    said,
    declare: (parser) =>
      withOptions(parser, command, said, noConfig, false, keys).options(
        Object.fromEntries(keys.map((key) => [flags[key].name, shown[key] ?? {}])),
      ),
    read,
    all: (found) => ({ ...defaults(), ...read(found) }),
  };
}
