// Panels of a chart. All series of a panel have the same rank count, and there are only as many as readers can distinguish.
import { transportRow } from '../results/schema/index.ts';
import { type Series, type SeriesGroup, withoutRanks } from './series.ts';
import { plural } from './wording.ts';

/** Maximum number of series (lines) in one panel of a chart. */
export const maxSeries = 6;
/** Maximum number of panels of a chart for one rank count; tables and data contain all series. */
export const maxPanels = 6;

/**
 * Splits the series of a group into one group per panel of a chart: by rank count, then into parts of at most `maxSeries` series.
 * If a rank count has more than `maxPanels` parts, the last ones are dropped. Returns the group itself if one panel is enough.
 */
export function panelsOf(group: SeriesGroup): SeriesGroup[] {
  return ranksPanels(group).flatMap((one) => {
    const parts = partsOf(one.series);
    if (parts.length < 2) return [one];
    return parts.slice(0, maxPanels).map((series, i) => ({
      ...one,
      key: `${one.key}-${i + 1}`,
      ...panelTitle(one, `part ${i + 1} of ${parts.length}`),
      series,
    }));
  });
}

/**
 * Splits the series of a group by rank count, in ascending order. The titles of the new groups have the rank count, and the names
 * of their series do not. Returns the group itself if all series have the same rank count.
 */
export function ranksPanels(group: SeriesGroup): SeriesGroup[] {
  const counts = [...new Set(group.series.map(({ run }) => run.plan.ranks))].sort((a, b) => a - b);
  if (counts.length < 2) return [group];
  return counts.map((ranks) => ({
    ...group,
    key: `${group.key}-${ranks}-ranks`,
    ...panelTitle(group, plural(ranks, 'rank')),
    series: group.series.filter(({ run }) => run.plan.ranks === ranks).map(withoutRanks),
  }));
}

const panelTitle = ({ title, panel }: SeriesGroup, part: string): Pick<SeriesGroup, 'title' | 'panel'> => ({
  title: `${title}, ${part}`,
  panel: panel === undefined ? part : `${panel}, ${part}`,
});

/** Splits series into parts of at most `maxSeries` series. Series of one transport stay in one part if possible. */
function partsOf(series: readonly Series[]): Series[][] {
  if (series.length <= maxSeries) return [[...series]];
  const families = new Map<string, Series[]>();
  for (const one of series) {
    const base = transportRow(one.transport)?.name ?? one.transport;
    families.set(base, [...(families.get(base) ?? []), one]);
  }
  const parts: Series[][] = [];
  for (const family of families.values())
    for (let from = 0; from < family.length; from += maxSeries) {
      const piece = family.slice(from, from + maxSeries);
      const last = parts.at(-1);
      if (last !== undefined && last.length + piece.length <= maxSeries) last.push(...piece);
      else parts.push(piece);
    }
  return parts;
}
