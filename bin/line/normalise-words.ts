// Rewrites words that yargs would misread: it takes "-e1M" as three letters and "--json=yes" as false.
import { refuse } from '../../results/refusals/refusal.ts';
import { isSwitch, type OptionRows, optionName } from '../../suites/options/option.ts';
import { switchValue, ValueError } from '../../suites/options/values.ts';

/** Character put before words that yargs must not read as options. No word of a command line can contain this character. */
const mark = '\0';

/**
 * Puts the mark before words after `--`, and before a "-" that stands for stdin, so that yargs accepts them as arguments. Otherwise
 * yargs would not count words after `--`, and would read words that begin with a dash as options.
 */
export function escapeDashes(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const others = end < 0 ? [] : words.slice(end + 1);
  return [...own.map((word) => (word === '-' ? mark + word : word)), ...others.map((word) => mark + word)];
}

export const withoutMark = (word: string): string => (word.startsWith(mark) ? word.slice(1) : word);

export function normaliseWords(words: readonly string[], options: OptionRows): string[] {
  const end = words.indexOf('--');
  const [own, others] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
  return [
    ...own.map((word, i) => withValue(word, own[i + 1], options) ?? unambiguous(word, options)),
    ...others,
  ];
}

/**
 * Adds the value `bareValue` to an option that was typed without a value: "--wait-quiet" becomes "--wait-quiet=10m". Null if the
 * word is not such an option, or if the next word is its value or a misspelt value.
 */
function withValue(word: string, next: string | undefined, options: OptionRows): string | null {
  const [, row] = Object.entries(options).find(([key]) => word === `--${optionName(key)}`) ?? [];
  if (row?.bareValue === undefined) return null;
  try {
    if (next === undefined) throw new ValueError('none');
    row.coerce(next);
    return null;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return error.meant === null ? `${word}=${row.bareValue}` : null;
  }
}

function unambiguous(word: string, options: OptionRows): string {
  const letter = /^(-[A-Za-z])([^=].*)$/s.exec(word);
  if (letter !== null) return `${letter[1]}=${letter[2]}`;
  const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
  if (!Object.entries(options).some(([key, row]) => isSwitch(row) && optionName(key) === name)) return word;
  try {
    return `--${name}=${switchValue(value)}`;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw refuse('switch-not-understood', { where: `--${name}`, text: value, why: error.message });
  }
}
