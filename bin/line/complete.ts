// Completions for the word at the cursor. Nothing else may be printed, not even errors: it would appear in the user's prompt.

import {
  isSwitch,
  letterOf,
  type OptionRow,
  type OptionRows,
  optionName,
  shownRows,
} from '../../suites/options/option.ts';
import type { CommandDefinition, Completions } from '../commands/command.ts';

const none: Completions = [];

/** Removes the "=" between the last option and its value. Bash passes "--min=8" as three words; of these "--min" and "8" remain. */
const removeEqualsSign = (words: readonly string[]): string[] => {
  const at = words.findLastIndex((word, i) => word === '=' && words[i - 1]?.startsWith('--') === true);
  if (at < 0 || at < words.length - 2) return [...words];
  return [...words.slice(0, at), words[at + 1] ?? ''];
};

/** True if the word is the option's long name or letter, with its dashes. */
const isSpelling = (word: string, key: string, row: OptionRow): boolean =>
  word === `--${optionName(key)}` || word === `-${letterOf(row)}`;

/**
 * Completions for the last item of a comma-separated value of an option. Each completion is the whole list. Items that are already
 * in the list are not offered. 'files' if the value is the path of a file or folder.
 * @param open the list as typed so far
 */
function valuesOf({ choices = [], value = '' }: OptionRow, open: string): Completions {
  if (['FILE', 'DIR', 'PATH'].includes(value)) return 'files';
  const comma = open.lastIndexOf(',') + 1;
  const said = open.slice(0, comma);
  const taken = new Set(said.split(','));
  const isOffered = (word: string) => !taken.has(word) && (said === '' || !word.includes(','));
  return choices.filter(isOffered).map((word) => ({ word: said + word }));
}

function optionOffer(options: OptionRows, before: readonly string[]): Completions {
  const rows = Object.entries(shownRows(options))
    .filter(([key, row]) => !before.some((word) => isSpelling(word, key, row)))
    .map(([key, { describe }]) => ({ word: `--${optionName(key)}`, about: describe }));
  return [...rows, { word: '--help', about: 'Show help' }];
}

/**
 * Shell completions for the last word of a command line that the user is typing; [] if the command is unknown or nothing fits.
 * @param words words up to the cursor, without the program; the last is the word to complete, possibly empty
 * @param load returns the command with a name; undefined if there is none
 * @param names returns the names of all commands
 */
export async function complete(
  words: readonly string[],
  load: (name: string) => Promise<CommandDefinition | undefined>,
  names: () => Promise<readonly string[]>,
): Promise<Completions> {
  const [name = '', ...rest] = removeEqualsSign(words);
  const open = rest.at(-1);
  if (open === undefined)
    return startingWith(
      name,
      (await names()).map((word) => ({ word })),
    );
  const command = await load(name);
  if (command === undefined) return none;
  const before = rest.slice(0, -1);
  const rowOf = (word = ''): OptionRow | undefined =>
    Object.entries(command.options).find(([key, row]) => isSpelling(word, key, row))?.[1];
  const asked = rowOf(before.at(-1));
  if (asked !== undefined && !isSwitch(asked)) return startingWith(open, valuesOf(asked, open));
  const [, long, value] = /^(--[^=]+)=(.*)$/s.exec(open) ?? [];
  const joined = rowOf(long);
  if (joined !== undefined && value !== undefined) {
    const offer = valuesOf(joined, value);
    return offer === 'files'
      ? offer
      : startingWith(
          open,
          offer.map(({ word }) => ({ word: `${long}=${word}` })),
        );
  }
  if (open.startsWith('-')) return startingWith(open, optionOffer(command.options, before));
  const isValue = (row: OptionRow | undefined) => row !== undefined && !isSwitch(row);
  const said = before.filter((word, i) => !word.startsWith('-') && !isValue(rowOf(before[i - 1])));
  return startingWith(open, (await command.offer?.(said, before)) ?? none);
}

const startingWith = (open: string, offer: Completions): Completions =>
  offer === 'files' ? offer : offer.filter(({ word }) => word.startsWith(open));

/** Completions as text for the shell scripts: a line "WORD<tab>MEANING" per word; ":files" = the shell completes file names. */
export const offerText = (offer: Completions): string =>
  offer === 'files'
    ? ':files\n'
    : offer.map(({ word, about }) => `${word}${about === undefined ? '' : `\t${about}`}\n`).join('');
