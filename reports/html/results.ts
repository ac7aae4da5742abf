import { figureColumn } from '../cell-table.ts';
import { averageName } from '../charts/averages.ts';
import { averagesOf } from '../charts/index.ts';
import { columnUnit, withUnit } from '../column-units.ts';
import { comparisonSentence } from '../comparison-sentence.ts';
import { type DocumentTable, tableOf } from '../document/blocks.ts';
import { nounOf } from '../rows.ts';
import { isRepeated, type SeriesGroup } from '../series.ts';
import { comparisonsOf } from '../series-comparison.ts';
import { html, type SafeHtml } from './markup.ts';

/**
 * Returns one paragraph for each compared pair of series: which is faster at which x, and the x at which the faster one becomes the
 * slower. Empty if nothing is compared.
 */
export function crossings(group: SeriesGroup): SafeHtml {
  const comparisons = comparisonsOf(group);
  if (comparisons.length === 0) return html``;
  return html`${comparisons.map((c) => {
    const said = comparisonSentence(c, { absolute: true });
    const points = c.crossovers.map(
      ({ x, low, high }) =>
        `The two cross at ${c.x.about(x)}; between ${c.x.about(low)} and ${c.x.about(high)} the intervals leave it open. `,
    );
    return html`<p>${said}. ${points}</p>`;
  })}`;
}

export function averageTable(groups: readonly SeriesGroup[]): DocumentTable {
  const rows = averagesOf(groups);
  type Row = (typeof rows)[number];
  const noun = nounOf(groups.map(({ row }) => row));
  const figures = new Map(
    rows.flatMap(({ rates, group }) =>
      rates.filter(({ of }) => !isRepeated(group, of.name)).map(({ of }) => [of.name, of] as const),
    ),
  );
  const times = columnUnit(
    'ns',
    rows.map(({ meanTimeNs }) => meanTimeNs),
  );
  return tableOf<Row>(
    [
      { head: noun, cell: (row) => averageName(row, rows) },
      { head: 'over', cell: ({ series }) => series.name },
      { head: 'sizes', align: 'right', cell: ({ bytes }) => String(bytes.length) },
      { head: 'mean size', align: 'right', cell: ({ group, meanBytes }) => group.x.about(meanBytes) },
      {
        head: withUnit('mean time', times),
        align: 'right',
        cell: ({ meanTimeNs }) => times.text(meanTimeNs),
      },
      ...[...figures.values()].map((figure) =>
        figureColumn<Row>(
          figure,
          rows,
          ({ rates }) => rates.find(({ of }) => of.name === figure.name)?.GBps ?? null,
          null,
        ),
      ),
    ],
    rows,
    { title: `Averages per ${noun}.`, caption: 'Over the sizes that every transport measured.' },
  );
}
