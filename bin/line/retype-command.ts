import { lookUp } from '../../results/collections.ts';
import type { RefusalWording } from '../../results/refusals/wording.ts';
import { nextText, type Retype } from '../../results/refusals/words.ts';
import { shellWord } from '../../results/text.ts';
import { isSwitch, letterOf } from '../../suites/options/option.ts';
import { keyOfName, optionRows } from '../options/index.ts';

/**
 * Forms of an option: long ("--ranks") and letter ("-b"). `letter` is null if the option has none, or is not among the measuring
 * commands' options. `isSwitch` is true if the option takes no value.
 * @param name long name of the option, without the leading `--`
 */
function formsOf(name: string): { long: string; letter: string | null; isSwitch: boolean } {
  const key = keyOfName(name);
  const row = key === undefined ? undefined : optionRows[key];
  const letter = row && letterOf(row);
  return {
    long: `--${name}`,
    letter: letter === undefined ? null : `-${letter}`,
    isSwitch: row !== undefined && isSwitch(row),
  };
}

/**
 * Splits the words of a command line: `own` has one option with its value, wherever it occurs; `others` has all other words.
 * @param name long name of the option, without the leading `--`
 */
function split(words: readonly string[], name: string): { own: string[]; others: string[] } {
  const { long, letter, isSwitch } = formsOf(name);
  const [own, others]: [string[], string[]] = [[], []];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const isAlone = word === long || word === letter || word === `--no-${name}`;
    const hasValue = word.startsWith(`${long}=`) || (letter !== null && word.startsWith(letter));
    (isAlone || hasValue ? own : others).push(word);
    const value = words[at + 1];
    if (!isAlone || isSwitch || value === undefined || value.startsWith('-')) continue;
    own.push(value);
    at += 1;
  }
  return { own, others };
}

/**
 * Replaces words by `rename` (from old to new word), also inside comma lists and "--name=value". Words after "--" are not changed.
 */
export function renameWords(words: readonly string[], rename: Readonly<Record<string, string>>): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const renamed = (word: string) => word.replaceAll(/[^=,]+/g, (part) => lookUp(rename, part) ?? part);
  return [...words.slice(0, end).map(renamed), ...words.slice(end)];
}

/** A command line that users can type: "collbench" and these words, quoted for a shell where needed. */
export const lineOf = (words: readonly string[]): `collbench ${string}` =>
  `collbench ${words.map(shellWord).join(' ')}`;

/**
 * Makes a function that suggests a corrected command line, quoted for a shell. A suggestion replaces words, changes or removes
 * options, or is another command with some of the options. The function returns null if a rename would change nothing.
 * @param words words after the program's name; words after "--" belong to another program and stay last
 */
export const retypeCommand =
  (words: readonly string[]): Retype =>
  (step) => {
    if ('rename' in step) {
      const renamed = renameWords(words, step.rename);
      return renamed.every((word, i) => word === words[i]) ? null : lineOf(renamed);
    }
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    const own = words.slice(0, end);
    if ('words' in step) {
      const options = step.keep.flatMap((name) => split(own, name).own);
      return lineOf([...step.words, ...options]);
    }
    const { change } = step;
    const kept = Object.keys(change).reduce((all, name) => split(all, name).others, own);
    const added = Object.entries(change).flatMap(([name, value]) =>
      value === null ? [] : value === '' ? [`--${name}`] : [`--${name}`, value],
    );
    return lineOf([...kept, ...added, ...words.slice(end)]);
  };

/**
 * Completes the message of an error with a next command that users can type: the suggested command, or the help of the rejected
 * command.
 * @param words words after the program's name, as typed
 */
export function withNextCommand(
  { next, ...wording }: RefusalWording,
  words: readonly string[],
): RefusalWording & { next: { shell: string } } {
  const [command = ''] = words;
  const help = ['collbench', ...(/^[a-z]/.test(command) ? [command] : []), '--help'].join(' ');
  const suggested = next === undefined ? null : nextText(next, retypeCommand(words));
  return { ...wording, next: { shell: suggested ?? help } };
}
