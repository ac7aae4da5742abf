// Rewrites words that yargs would misread: it takes "-e1M" as three letters and "--json=yes" as false.
import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { switchValue } from '../../suites/options/values.ts';
import type { LineFlag } from './flag.ts';

/** Character with which words are marked; no word of a command line can contain it. */
const mark = '\0';

/**
 * Marks words after `--`, and a "-" that stands for stdin, so that yargs accepts these words as arguments. Without the mark
 * yargs would not count words after `--`, and would take words that begin with a dash as options.
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

/**
 * The option with its implied value, such as "--wait-quiet=true", if its value may be omitted and is. Null if the word is no
 * such option, or the next word is its value.
 */
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
