// Words that yargs would misread: "-e1M" is three letters to it, "--json=yes" is false.
import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { switchValue } from '../../suites/options/values.ts';
import type { LineFlag } from './flag.ts';

/** No word of a command line contains this character. */
const mark = '\0';

/**
 * The words with those behind `--`, and "-" for stdin, as arguments of the command. yargs counts no word behind `--` as
 * one, and takes none that begins with a dash; a mark in front keeps them from both.
 */
export function escapeDashes(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const others = end < 0 ? [] : words.slice(end + 1);
  return [...own.map((word) => (word === '-' ? mark + word : word)), ...others.map((word) => mark + word)];
}

export const withoutMark = (word: string): string => (word.startsWith(mark) ? word.slice(1) : word);

export function normaliseWords(words: readonly string[], flags: readonly LineFlag[]): string[] {
  const end = words.indexOf('--');
  const [own, others] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
  return [...own.map((word, i) => withValue(word, own[i + 1], flags) ?? unambiguous(word, flags)), ...others];
}

/** "--wait-quiet" without a value of its own; null where the word is no such option, or the next one is its value. */
function withValue(word: string, next: string | undefined, flags: readonly LineFlag[]): string | null {
  const flag = flags.find(({ name, alone }) => alone !== undefined && word === `--${name}`);
  if (flag === undefined) return null;
  try {
    if (next === undefined) throw new ValueError('none');
    flag.parse(next);
    return null;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return error.meant === null ? `${word}=${flag.alone}` : null;
  }
}

function unambiguous(word: string, flags: readonly LineFlag[]): string {
  const letter = /^(-[A-Za-z])([^=].*)$/s.exec(word);
  if (letter !== null) return `${letter[1]}=${letter[2]}`;
  const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
  if (!flags.some((flag) => flag.isSwitch && flag.name === name)) return word;
  try {
    return `--${name}=${switchValue(value)}`;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw refuse('switch-not-understood', { where: `--${name}`, text: value, why: error.message });
  }
}
