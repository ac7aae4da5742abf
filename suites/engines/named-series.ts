import { addTo } from '../../results/add-to.ts';
import { nothingFixed } from '../../results/schema/index.ts';
import type { SeriesChoice } from './series-choice.ts';

export interface SeriesSelection {
  series: SeriesChoice[];
  /** Rejected algorithm names, one line each: the name, a colon, the reason. */
  leftOut: string[];
}

/** Joins the names that share a reason into one line: "ring, bruck: gather has only direct". */
export function byReason(leftOut: readonly string[]): string[] {
  const words = new Map<string, string[]>();
  for (const line of leftOut) {
    const [, word = '', reason = ''] = /^(.*?): (.*)$/s.exec(line) ?? [line, line];
    addTo(words, reason, word);
  }
  return [...words].map(([reason, of]) => `${of.join(', ')}: ${reason}`);
}

/**
 * Makes a series for each algorithm name of `--algo`, in the given order. The series of `auto` leaves the choice to the engine.
 * @param own algorithm names of this engine. If all of them were requested, the option was "all", and names of other engines
 * are ignored.
 * @param refusal returns the reason why the engine does not support an algorithm; null if it does
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
          ? { fixed: nothingFixed, settings: undefined }
          : { fixed: { ...nothingFixed, choice: [word] }, settings: { algo: word } },
      ),
    leftOut: refusals.filter((reason) => reason !== null),
  };
}
