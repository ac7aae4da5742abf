import type { Written } from '../suites/options/said.ts';
import { flags, keyOfLetter, keyOfName, type OptionKey, type Said } from './options/index.ts';

export interface KeyedWord extends Written {
  key: OptionKey;
}

/** The options that were said, by key. */
export class SaidWords extends Map<OptionKey, KeyedWord> implements Said {
  where(key: OptionKey): string {
    return this.get(key)?.where ?? `--${flags[key].name}`;
  }

  typed(key: OptionKey): KeyedWord | undefined {
    const word = this.get(key);
    return word?.isConfig === true ? undefined : word;
  }
}

/** The options among the words; yargs tells values, but not whether "-b" or "--min" was typed. */
export function saidIn(words: readonly string[]): SaidWords {
  const said = new SaidWords();
  for (const word of words) {
    const [where, name] = /^--(?:no-)?([^=]+)/.exec(word) ?? /^-([A-Za-z])/.exec(word) ?? [];
    if (where === undefined || name === undefined) continue;
    const isLetter = !where.startsWith('--');
    const key = isLetter ? keyOfLetter(name) : keyOfName(name);
    if (key !== undefined) said.set(key, { key, text: '', where, isLetter, isConfig: false });
  }
  return said;
}
