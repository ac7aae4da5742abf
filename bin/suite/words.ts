import { Refusal } from '../../results/refusals/refusal.ts';
import type { CollectiveName } from '../../results/schema/index.ts';
import { isCollective } from '../../results/schema/index.ts';
import { placeText, type SuitePlanEntry, type WrittenOptions } from '../../suites/suite/index.ts';
import { CommandError } from '../exit.ts';
import { flags, isSwitch, keyOfName, type Options } from '../options/index.ts';
import { readOptions } from '../read-options.ts';

/** Options as they would be typed: one truth with the command line. */
export function wordsOf(options: WrittenOptions): string[] {
  return [...options].flatMap(([name, { text }]) => {
    const key = keyOfName(name);
    if (key === undefined) return [];
    if (!isSwitch(key)) return [`--${name}=${text}`];
    return [flags.json.parse(text) ? `--${name}` : `--no-${name}`];
  });
}

/** An entry as a measuring command. */
export interface SuiteCommand {
  collective: CollectiveName;
  words: string[];
  options: Options;
}

/** @throws CommandError options that contradict each other, with the place of the entry */
export function commandOf(entry: SuitePlanEntry, options: WrittenOptions = entry.options): SuiteCommand {
  const { collective } = entry;
  if (!isCollective(collective)) throw new CommandError(`${collective}: no such collective`);
  const words = wordsOf(options);
  try {
    return { collective, words, options: readOptions(collective, words) };
  } catch (error) {
    if (error instanceof Refusal) throw error.at(`${placeText(entry.at)}: ${entry.name}`);
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${placeText(entry.at)}: ${entry.name}: ${error.message}`,
      error.lines,
      error.code,
    );
  }
}
