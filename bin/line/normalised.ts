// Words that yargs-parser would misread: "-e1M" is three letters to it, "--json=yes" is false.
import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { switchValue } from '../../suites/options/values.ts';
import type { LineFlag } from './flag.ts';

export const normalised = (words: readonly string[], flags: readonly LineFlag[]): string[] =>
  words.map((word) => unambiguous(word, flags));

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
