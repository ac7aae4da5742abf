// Chapter of the report about counts, steps and speed order.

import type { MeasuredFigure } from '../../results/schema/index.ts';
import { html, type SafeHtml, table } from '../html/markup.ts';
import type { FigureRenderer, PageSection } from '../html/sections.ts';
import { namedX, rangeText } from '../rows.ts';
import { cellAt, figureOf, type Series, type SeriesGroup, xsOf } from '../series.ts';
import { capitalise, formatPercent, formatTime, manyOf, plusMinus, spreadText } from '../wording.ts';
import { steps } from './chart.ts';
import { countedRows, countsOf, type SeriesCounts, sideCountText } from './counts.ts';
import { ratesOver } from './rates.ts';
import { partSentences } from './sentences.ts';
import {
  concurrentTimes,
  partAt,
  partGroups,
  partInterval,
  partRows,
  stepsOf,
  variantName,
  wholePartAt,
} from './variants.ts';

/**
 * Returns the section about operations whose time is measured in parts: counts, times of the parts, and rates. Null if there
 * are none. The first chart of parts is left out here, because it is on the first screen.
 */
export function partsSection(
  groups: readonly SeriesGroup[],
  draw: FigureRenderer['draw'],
): PageSection | null {
  const found = partGroups(groups);
  if (found.length === 0) return null;
  const bodies: SafeHtml[] = [];
  const first = found.find((group) => stepsOf(group).length > 0);
  const said = new Set<string>();
  for (const group of found) {
    const title = found.length > 1 ? html`<h3>${capitalise(group.title)}</h3>` : '';
    const chart = group === first ? '' : draw(steps.draw(group));
    const fresh = partSentences(group, 'µs').filter((text) => !said.has(text));
    for (const text of fresh) said.add(text);
    const sentences = fresh.map((text) => html`<p>${capitalise(text)}.</p>`);
    bodies.push(
      html`${title}<div class="broad">${countTable(group)}</div>${sentences}${chart}${stepTable(group)}`,
    );
  }
  for (const figure of ratesOver(groups)) bodies.push(draw(figure));
  return { id: 'parts', title: 'Counts and steps', body: html`${bodies}` };
}

function countTable(group: SeriesGroup): SafeHtml {
  const rows = countsOf(group);
  const all = xsOf(group.series);
  const ends = [...new Set([all[0], all.at(-1)])].filter((x) => x !== undefined);
  return table(
    html`<b>What one ${group.row.noun} does.</b> Times are medians, ± half the 95 % interval.`,
    [
      { head: group.row.title, cell: ({ series }: SeriesCounts) => variantName(group, series) },
      { head: group.x.noun, cell: ({ xs }: SeriesCounts) => rangeText(group.x, xs) },
      ...countedRows(group).map(({ head }, i) => ({
        head,
        number: true,
        cell: ({ counts }: SeriesCounts) => sideCountText(counts[i] ?? null),
      })),
      ...ends.map((x) => ({
        head: `time at ${namedX(group.x, x)}`,
        number: true,
        cell: ({ series, xs }: SeriesCounts) =>
          xs.includes(x) ? timeText(figureOf(cellAt(series, x), group)) : '',
      })),
    ],
    rows,
  );
}

/** Formats a measured time with its interval: "7.41 µs ±1.6 %"; "–" for null. */
function timeText(figure: MeasuredFigure | null): string {
  if (figure === null) return '–';
  const { value, interval } = figure;
  return `${formatTime(value, 'µs')}${interval === null ? '' : ` ${plusMinus(value, interval)}`}`;
}

/** Returns the table of an operation's steps (timed parts): one row per variant (series) and x, one column per step. */
function stepTable(group: SeriesGroup): SafeHtml {
  const { row, x } = group;
  const kinds = stepsOf(group);
  const beside = concurrentTimes(group);
  if (kinds.length === 0) return html``;
  const rows = xsOf(group.series).flatMap((at) =>
    group.series.filter((series) => wholePartAt(series, at, row) !== null).map((series) => ({ series, at })),
  );
  type Row = { series: Series; at: number };
  const [rest] = partRows(row, 'rest');
  const share = ({ series, at }: Row) => {
    const [whole, left] = [
      wholePartAt(series, at, row),
      rest === undefined ? null : partAt(series, at, rest),
    ];
    return whole === null || left === null || !(whole.value > 0)
      ? '–'
      : formatPercent(left.value / whole.value);
  };
  const spread = ({ series, at }: Row) => {
    const whole = wholePartAt(series, at, row);
    const interval = whole === null ? null : partInterval(whole);
    return whole === null || interval === null ? '–' : spreadText(whole.value, interval);
  };
  const captions = [...kinds, ...beside].flatMap(({ title, caption }) =>
    caption === undefined ? [] : [`${title}: ${caption}`],
  );
  const body = table(
    html`<b>Steps of one ${row.noun}.</b> ± is half the 95 % interval of the total between launches. ${captions.join('; ')}.`,
    [
      { head: x.noun, number: true, cell: ({ at }: Row) => x.text(at) },
      { head: row.title, cell: ({ series }: Row) => variantName(group, series) },
      ...[...kinds, ...partRows(row, 'whole'), ...beside].map((of) => ({
        head: of.title,
        number: true,
        cell: ({ series, at }: Row) => {
          const part = partAt(series, at, of);
          return part === null ? '' : formatTime(Math.abs(part.value) < 0.5 ? 0 : part.value, 'µs');
        },
      })),
      { head: '±', number: true, cell: spread },
      ...(rest === undefined ? [] : [{ head: `${rest.title} share`, number: true, cell: share }]),
    ],
    rows,
  );
  return html`<details><summary>Steps of ${group.title}, all ${manyOf(x.noun)}</summary><div class="broad">${body}</div></details>`;
}
