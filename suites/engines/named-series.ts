import { addTo } from '../../results/collections.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { nothingFixed } from '../../results/schema/index.ts';
import type { RejectedChoice, SeriesChoice } from './series-choice.ts';

export interface SeriesSelection {
  series: SeriesChoice[];
  /** Requested choices that the engine cannot measure, with the reasons. */
  leftOut: RejectedChoice[];
}

/** Returns one line per reason, with the names that share it: "ring, bruck: gather has only direct". */
export function rejectionTexts(leftOut: readonly RejectedChoice[]): string[] {
  const names = new Map<string, string[]>();
  for (const { reason, name } of leftOut) addTo(names, reason, name);
  return [...names].map(([reason, of]) => `${[...new Set(of)].join(', ')}: ${reason}`);
}

/**
 * Returns the selection unchanged if it has at least one series.
 * @param engine name of the engine, for the error
 * @param collective name of the command, for the error
 * @throws Refusal with the reasons if there is no series
 */
export function requireSeries(
  engine: string,
  collective: string,
  selection: SeriesSelection,
): SeriesSelection {
  const { series, leftOut } = selection;
  if (series.length === 0)
    throw refuse('engine-has-no-series', { engine, collective, leftOut: rejectionTexts(leftOut) });
  return selection;
}

/** Names of the algorithms in a table that can run a command. @param table commands that each algorithm can run, by its name */
export const algorithmsFor = (
  table: Readonly<Record<string, readonly string[]>>,
  command: string,
): string[] => Object.keys(table).filter((name) => table[name]?.includes(command));

/**
 * Makes a series for each algorithm name of `--algo`, in the given order. For `auto` the series sets no algorithm, so that the
 * engine chooses one.
 * @param own algorithm names of this engine. If all of them were requested, the user typed "all": the series have the order of
 * `own`, and names of other engines are ignored.
 * @param reasonAgainst returns the reason why the engine does not support an algorithm; null if it does
 */
export function seriesAmong(
  requested: readonly string[],
  own: readonly string[],
  reasonAgainst: (word: string) => string | null,
): SeriesSelection {
  const names = own.every((word) => requested.includes(word)) ? own : requested;
  const judged = names.map((name) => ({ name, reason: reasonAgainst(name) }));
  return {
    series: judged
      .filter(({ reason }) => reason === null)
      .map(({ name }) =>
        name === 'auto'
          ? { fixed: nothingFixed, settings: undefined }
          : { fixed: { ...nothingFixed, choice: [name] }, settings: { algo: name } },
      ),
    leftOut: judged.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }])),
  };
}
