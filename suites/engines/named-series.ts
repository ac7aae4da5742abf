import { addTo } from '../../results/add-to.ts';
import type { SeriesChoice } from './series-choice.ts';

export interface SeriesSelection {
  series: SeriesChoice[];
  /** What cannot be, each with the reason. */
  leftOut: string[];
}

/** What has the same reason, in one line: "ring, bruck: gather has only direct". */
export function byReason(leftOut: readonly string[]): string[] {
  const words = new Map<string, string[]>();
  for (const line of leftOut) {
    const [, word = '', reason = ''] = /^(.*?): (.*)$/s.exec(line) ?? [line, line];
    addTo(words, reason, word);
  }
  return [...words].map(([reason, of]) => `${of.join(', ')}: ${reason}`);
}

/**
 * A series for each word of `--algo`, in the order given; `auto` has no name.
 * @param own words of the engine: where all of them are asked for, "all" was said, and other engines' words are not meant
 * @param refusal why the engine cannot; null where it can
 */
export function seriesAmong(
  asked: readonly string[],
  own: readonly string[],
  refusal: (word: string) => string | null,
): SeriesSelection {
  const words = own.every((word) => asked.includes(word)) ? own : asked;
  const refusals = words.map(refusal);
  return {
    series: words
      .filter((_, i) => refusals[i] === null)
      .map((word) =>
        word === 'auto'
          ? { suffix: '', settings: undefined }
          : { suffix: `@${word}`, settings: { algo: word } },
      ),
    leftOut: refusals.filter((reason) => reason !== null),
  };
}
