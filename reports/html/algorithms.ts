// Topic about algorithms and protocols: which ones the library chose by size, and which of those fixed in a run is the fastest.
import { engineRow, type OkCell } from '../../results/schema/index.ts';
import { choiceRanges } from '../choice-ranges.ts';
import { type DocumentBlock, type DocumentTable, tableOf } from '../document/blocks.ts';
import { verdictText } from '../evidence.ts';
import { sweepsOf } from '../fastest-choices.ts';
import { fastestTables } from '../fastest-tables.ts';
import { breaksText } from '../figure-notes.ts';
import { rangeText } from '../rows.ts';
import { isOk, type Series, type SeriesGroup } from '../series.ts';
import type { ReportTopic } from '../topics/topic.ts';
import { formatCount, manyOf } from '../wording.ts';

export const algorithms: ReportTopic = {
  id: 'algorithms',
  chapter: 'algorithms',
  only: ['page'],
  ofSeries: ({ of }) => of.flatMap(choiceBlocks),
};

function choiceBlocks(group: SeriesGroup): DocumentBlock[] {
  const fastest = sweepsOf(group).flatMap(fastestTables);
  const rows = group.series.flatMap((series) =>
    choiceRanges(series).map(
      (range): AlgorithmRow => ({
        ...range,
        series,
        cells: series.slots
          .filter(({ x }) => x >= range.first && x <= range.last)
          .flatMap(({ cell }) => (isOk(cell) ? [cell] : [])),
      }),
    ),
  );
  const isKnown = rows.some(({ choice }) => choice !== '');
  if (!isKnown && fastest.length === 0) return [];
  const changes = group.series.flatMap((series): DocumentBlock[] => {
    const text = breaksText(group, series);
    return text === '' ? [] : [{ kind: 'paragraph', text: `${series.name}: ${text}.` }];
  });
  return [...changes, ...(isKnown ? [choiceTable(group, rows)] : []), ...fastest];
}

/**
 * A range of x, from `first` to `last` inclusive, at which a series used the same algorithm and protocol (`choice`). `cells`: its
 * configurations with results.
 */
interface AlgorithmRow {
  series: Series;
  choice: string;
  first: number;
  last: number;
  cells: OkCell[];
}

function choiceTable(group: SeriesGroup, rows: readonly AlgorithmRow[]): DocumentTable {
  const hasPaths = rows.some(({ cells }) => pathsText(cells) !== '–');
  const [plan] = group.series.map(({ run }) => run.plan);
  const who = plan === undefined ? 'the library' : engineRow(plan).title;
  const ranges = manyOf(group.x.noun);
  const paths = hasPaths
    ? ' Paths are connections between ranks as NCCL logged them; they belong to a launch, not to one size.'
    : '';
  return tableOf<AlgorithmRow>(
    [
      { head: 'evidence', isVerdict: true, cell: ({ cells }) => verdictText(cells) },
      {
        head: 'over',
        cell: ({ series: { name, medium } }) =>
          medium === 'emulated' ? [name, ' ', { label: medium }] : name,
      },
      { head: ranges, cell: ({ first, last }) => rangeText(group.x, [first, last]) },
      { head: 'algorithm/protocol', cell: ({ choice }) => choice || 'not said' },
      { head: 'paths seen', cell: ({ cells }) => (hasPaths ? pathsText(cells) : '') },
    ],
    rows,
    {
      title: `Algorithm and protocol of ${group.title}.`,
      caption: `As ${who} chose or was given, per range of ${ranges}.${paths}`,
      summary: `Algorithm and protocol of ${group.title}, per range of ${ranges}`,
    },
  );
}

/**
 * Returns the kinds of connections between ranks that NCCL used, each with the highest number of such connections in any
 * configuration: "P2P/CUMEM × 48". "–" if none is known.
 */
function pathsText(cells: readonly OkCell[]): string {
  const most = new Map<string, number>();
  for (const [path, n] of cells.flatMap((c) => Object.entries(c.pathsSeen ?? {})))
    most.set(path, Math.max(n, most.get(path) ?? 0));
  if (most.size === 0) return '–';
  return [...most].map(([path, n]) => `${path} × ${formatCount(n)}`).join(', ');
}
