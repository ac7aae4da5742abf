import type { Written } from '../../suites/options/said.ts';
import { flags, type OptionKey, type Said } from '../options/index.ts';

export interface KeyedWord extends Written {
  key: OptionKey;
}

/** Options of the table that were said, by key. */
export class SaidWords extends Map<OptionKey, KeyedWord> implements Said {
  where(key: OptionKey): string {
    return this.get(key)?.where ?? `--${flags[key].name}`;
  }

  typed(key: OptionKey): KeyedWord | undefined {
    const word = this.get(key);
    return word?.isConfig === true ? undefined : word;
  }
}
