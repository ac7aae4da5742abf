// Completions for the word at the cursor. Errors and other output are not allowed here: they would appear in the prompt.
import type { CommandDefinition } from '../commands/command.ts';
import type { Completions } from './candidates.ts';
import type { LineFlag } from './flag.ts';

const none: Completions = [];

/** Joins words that bash splits: it passes "--min=8" as three words. */
export const joinBashWords = (words: readonly string[]): string[] => {
  const at = words.findLastIndex((word, i) => word === '=' && words[i - 1]?.startsWith('--') === true);
  if (at < 0 || at < words.length - 2) return [...words];
  return [...words.slice(0, at), words[at + 1] ?? ''];
};

/**
 * Completions for the last item of a comma-separated list, without items that are already in the list.
 * @param open the list as typed so far
 */
function valuesOf({ words }: LineFlag, open: string): Completions {
  if (words === undefined) return none;
  const comma = open.lastIndexOf(',') + 1;
  const said = open.slice(0, comma);
  const taken = new Set(said.split(','));
  const isOffered = (word: string) => !taken.has(word) && (said === '' || !word.includes(','));
  return words.filter(isOffered).map((word) => ({ word: said + word }));
}

const valueOffer = (flag: LineFlag, open: string): Completions =>
  flag.isFile ? 'files' : valuesOf(flag, open);

function optionOffer(flags: readonly LineFlag[], before: readonly string[]): Completions {
  const isSaid = ({ name, short }: LineFlag) =>
    before.some((word) => word === `--${name}` || word === `-${short}`);
  const rows = flags
    .filter((flag) => !isSaid(flag))
    .map(({ name, help }) => ({ word: `--${name}`, about: help }));
  return [...rows, { word: '--help', about: 'Show help' }];
}

/**
 * Completions for the last word of a line.
 * @param words words up to the cursor, without the program; the last is the word to complete, possibly empty
 * @param load returns the command with a name
 * @param names returns the names of all commands
 */
export async function complete(
  words: readonly string[],
  load: (name: string) => Promise<CommandDefinition | undefined>,
  names: () => Promise<readonly string[]>,
): Promise<Completions> {
  const [name = '', ...rest] = joinBashWords(words);
  const open = rest.at(-1);
  if (open === undefined)
    return startingWith(
      name,
      (await names()).map((word) => ({ word })),
    );
  const command = await load(name);
  if (command === undefined) return none;
  const before = rest.slice(0, -1);
  const flagOf = (word: string | undefined): LineFlag | undefined =>
    command.flags.find(
      ({ name: long, short }) => word === `--${long}` || (short !== undefined && word === `-${short}`),
    );
  const asked = flagOf(before.at(-1));
  if (asked !== undefined && !asked.isSwitch) return startingWith(open, valueOffer(asked, open));
  const [, long, value] = /^(--[^=]+)=(.*)$/s.exec(open) ?? [];
  const joinedFlag = flagOf(long);
  if (joinedFlag !== undefined && value !== undefined) {
    const offer = valueOffer(joinedFlag, value);
    return offer === 'files'
      ? offer
      : startingWith(
          open,
          offer.map(({ word }) => ({ word: `${long}=${word}` })),
        );
  }
  if (open.startsWith('-')) return startingWith(open, optionOffer(command.flags, before));
  const said = before.filter((word, i) => !word.startsWith('-') && flagOf(before[i - 1])?.isSwitch !== false);
  return startingWith(open, (await command.offer?.(said, before)) ?? none);
}

const startingWith = (open: string, offer: Completions): Completions =>
  offer === 'files' ? offer : offer.filter(({ word }) => word.startsWith(open));

/** Completions as text: one per line, followed by a tab and its meaning. ":files" makes the shell complete file names. */
export const offerText = (offer: Completions): string =>
  offer === 'files'
    ? ':files\n'
    : offer.map(({ word, about }) => `${word}${about === undefined ? '' : `\t${about}`}\n`).join('');
