import { optionName } from '../../suites/options/option.ts';
import type { OptionText } from '../../suites/options/parsed-options.ts';
import type { CommandLineOptions, OptionKey } from '../options/index.ts';

export interface OptionWord extends OptionText {
  key: OptionKey;
}

/** Options of measuring commands that the user gave, by key, each with its text and its spelling, such as "-b". */
export class ParsedWords extends Map<OptionKey, OptionWord> implements CommandLineOptions {
  where(key: OptionKey): string {
    return this.get(key)?.where ?? `--${optionName(key)}`;
  }

  typed(key: OptionKey): OptionWord | undefined {
    const word = this.get(key);
    return word?.isConfig === true ? undefined : word;
  }
}
