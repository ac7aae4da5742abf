import type { OptionChange } from '../../results/refusals/wording.ts';
import { flags, keyOfName } from '../options/index.ts';

/** Pattern of words that need no quotes in a shell. */
const plainWord = /^[\w@%+=:,./~-]+$/;

/** The word, quoted for a shell if needed. */
export const shellWord = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Spellings of an option: long ("--ranks") and letter ("-b"). `letter` is null for options that only one command has.
 * `isSwitch`: the option takes no value.
 */
function formsOf(name: string): { long: string; letter: string | null; isSwitch: boolean } {
  const key = keyOfName(name);
  const flag = key === undefined ? undefined : flags[key];
  return {
    long: `--${name}`,
    letter: flag?.short === undefined ? null : `-${flag.short}`,
    isSwitch: flag !== undefined && flag.value === undefined,
  };
}

/** The words without this option and its value. */
function without(words: readonly string[], name: string): string[] {
  const { long, letter, isSwitch } = formsOf(name);
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const isAlone = word === long || word === letter || word === `--no-${name}`;
    const hasValue = word.startsWith(`${long}=`) || (letter !== null && word.startsWith(letter));
    if (!isAlone && !hasValue) kept.push(word);
    else if (isAlone && !isSwitch && words[at + 1]?.startsWith('-') === false) at += 1;
  }
  return kept;
}

/**
 * Makes a function that returns the command line with some options changed or removed, quoted for a shell.
 * @param words words after the program's name; words after "--" belong to another program and stay last
 */
export const retypeCommand =
  (words: readonly string[]) =>
  ({ change }: OptionChange): string => {
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    const kept = Object.keys(change).reduce(without, words.slice(0, end));
    const added = Object.entries(change).flatMap(([name, value]) =>
      value === null ? [] : value === '' ? [`--${name}`] : [`--${name}`, value],
    );
    return ['collbench', ...kept, ...added, ...words.slice(end)].map(shellWord).join(' ');
  };
