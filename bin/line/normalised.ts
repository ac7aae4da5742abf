// Words that yargs would misread: "-e1M" is three letters to it, "--json=yes" is false.
import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { switchValue } from '../../suites/options/values.ts';
import type { LineFlag } from './flag.ts';

export const normalised = (words: readonly string[], flags: readonly LineFlag[]): string[] =>
  withoutGraphCount(words).map((word) => unambiguous(word, flags));

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

/** "-G 20" of nccl-tests says how often a graph is replayed; here it is a switch. */
function withoutGraphCount(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const next = words[i + 1];
    const joined = /^-G=?(\d+)$/.exec(word)?.[1];
    const apart = word === '-G' && next !== undefined && /^\d+$/.test(next) ? next : undefined;
    if (apart !== undefined) i++;
    const count = joined ?? apart;
    kept.push(count === undefined ? word : `--graph=${Number(count) > 0}`);
  }
  return kept;
}
