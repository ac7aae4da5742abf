// Chapter about the library's choice of algorithm and protocol by size, and the fastest of the fixed choices.

import { engineRow } from '../../results/schema/index.ts';
import { choiceRanges } from '../choice-ranges.ts';
import { pathsText, verdictText } from '../choices.ts';
import { pageMarkup } from '../document/page.ts';
import { sweepsOf } from '../fastest-choices.ts';
import { fastestTables } from '../fastest-tables.ts';
import { breaksText } from '../figure-notes.ts';
import { rangeText } from '../rows.ts';
import { isOk, type Series, type SeriesGroup } from '../series.ts';
import { manyOf } from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';
import type { NextTable } from './sections.ts';

/** Maximum number of rows of a table that the page shows open; a longer table is collapsed. */
const maxRows = 24;

export function algorithms(group: SeriesGroup, next: NextTable): SafeHtml {
  const fastest = pageMarkup(sweepsOf(group).flatMap(fastestTables));
  const rows = group.series.flatMap((series) =>
    choiceRanges(series).map((stretch, i) => ({
      ...stretch,
      series,
      isFirst: i === 0,
      cells: series.slots
        .filter(({ x }) => x >= stretch.first && x <= stretch.last)
        .flatMap(({ cell }) => (isOk(cell) ? [cell] : [])),
    })),
  );
  const isSaid = rows.some(({ choice }) => choice !== '');
  if (!isSaid && fastest.text === '') return html``;
  return html`${group.series.map((series) => changes(group, series))}${isSaid ? choices(group, rows, next) : ''}${fastest}`;
}

function changes(group: SeriesGroup, series: Series): SafeHtml {
  const text = breaksText(group, series);
  return text === '' ? html`` : html`<p>${series.name}: ${text}.</p>\n`;
}

interface AlgorithmTableRow {
  series: Series;
  choice: string;
  first: number;
  last: number;
  isFirst: boolean;
  cells: Parameters<typeof pathsText>[0];
}

function choices(group: SeriesGroup, rows: readonly AlgorithmTableRow[], next: NextTable): SafeHtml {
  const hasPaths = rows.some(({ cells }) => pathsText(cells) !== '–');
  const [plan] = group.series.map(({ run }) => run.plan);
  const who = plan === undefined ? 'the library' : engineRow(plan).title;
  const body = table<AlgorithmTableRow>(
    html`<b>Table ${next()}. Algorithm and protocol of ${group.title}</b>, as ${who} chose or was given, per range of ${manyOf(group.x.noun)}.${hasPaths ? ' Paths are connections between ranks as NCCL logged them; they belong to a launch, not to one size.' : ''}`,
    [
      { head: 'evidence', cell: ({ cells }) => verdictText(cells) },
      {
        head: 'over',
        cell: ({ series, isFirst }) =>
          isFirst
            ? html`${series.name}${series.medium === 'emulated' ? html` <span class="emu">emulated</span>` : ''}`
            : '',
      },
      { head: `${manyOf(group.x.noun)}`, cell: ({ first, last }) => rangeText(group.x, [first, last]) },
      { head: 'algorithm/protocol', cell: ({ choice }) => choice || 'not said' },
      ...(hasPaths ? [{ head: 'paths seen', cell: ({ cells }: AlgorithmTableRow) => pathsText(cells) }] : []),
    ],
    rows,
    ({ isFirst }) => (isFirst ? 'first' : ''),
  );
  return rows.length <= maxRows
    ? body
    : html`<details><summary>Algorithm and protocol of ${group.title}, per range of ${manyOf(group.x.noun)}</summary>${body}</details>`;
}
