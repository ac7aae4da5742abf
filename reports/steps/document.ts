// Counts, steps and speed order of operations that are measured in parts.
import type { Colors } from 'picocolors/types.js';
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { type CellColumn, type DocumentTable, tableOf } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { terminalLines } from '../document/terminal.ts';
import { html, type SafeHtml, table } from '../html/markup.ts';
import type { FigureRenderer, PageSection } from '../html/sections.ts';
import { namedX, rangeText } from '../rows.ts';
import { cellAt, figureOf, type Series, type SeriesGroup, xsOf } from '../series.ts';
import { column, line, widthOf } from '../terminal/columns.ts';
import { capitalise, formatPercent, formatTime, manyOf, plusMinus, spreadText, wrap } from '../wording.ts';
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
 * Returns the report's section about counts per operation (such as doorbells), times of an operation's steps, and rates. Null if
 * no operation has counts. The first chart of steps is left out here, because it is on the first screen.
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
    const fresh = partSentences(group).filter((text) => !said.has(text));
    for (const text of fresh) said.add(text);
    const sentences = fresh.map((text) => html`<p>${capitalise(text)}.</p>`);
    bodies.push(
      html`${title}<div class="broad">${pageMarkup([countTable(group)])}</div>${sentences}${chart}${stepTable(group)}`,
    );
  }
  for (const figure of ratesOver(groups)) bodies.push(draw(figure));
  return { id: 'parts', title: 'Counts and steps', body: html`${bodies}` };
}

/** Returns the table of counts per operation (such as doorbells), with the times at the smallest and the largest x. */
function countTable(group: SeriesGroup): DocumentTable {
  const rows = countsOf(group);
  const all = xsOf(group.series);
  const ends = [...new Set([all[0], all.at(-1)])].filter((x) => x !== undefined);
  const isPartial = rows.some(({ series, xs }) => xs.length !== xsOf([series]).length);
  const columns: CellColumn<SeriesCounts>[] = [
    { head: group.row.title, names: 'beside', cell: ({ series }) => variantName(group, series) },
    {
      head: group.x.noun,
      cell: ({ xs }) => rangeText(group.x, xs),
      ...(isPartial ? {} : { only: ['page'] }),
    },
    ...countedRows(group).map(({ head }, i): CellColumn<SeriesCounts> => {
      return { head, align: 'right', cell: ({ counts }) => sideCountText(counts[i] ?? null) };
    }),
    ...ends.map((x, i): CellColumn<SeriesCounts> => {
      const cell = ({ series, xs }: SeriesCounts) =>
        xs.includes(x) ? timeText(figureOf(cellAt(series, x), group)) : '';
      return { head: `time at ${namedX(group.x, x)}`, align: 'right', priority: 1 + i, cell };
    }),
  ];
  return tableOf(columns, rows, {
    title: `What one ${group.row.noun} does.`,
    caption: 'Times are medians, ± half the 95 % interval.',
  });
}

/** Formats a measured time with its interval: "7.41 µs ±1.6 %"; "–" for null. */
function timeText(figure: MeasuredFigure | null): string | null {
  if (figure === null) return null;
  const { value, interval } = figure;
  return `${formatTime(value)}${interval === null ? '' : ` ${plusMinus(value, interval)}`}`;
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
          return part === null ? '' : formatTime(Math.abs(part.value) < 0.5 ? 0 : part.value);
        },
      })),
      { head: '±', number: true, cell: spread },
      ...(rest === undefined ? [] : [{ head: `${rest.title} share`, number: true, cell: share }]),
    ],
    rows,
  );
  return html`<details><summary>Steps of ${group.title}, all ${manyOf(x.noun)}</summary><div class="broad">${body}</div></details>`;
}

/** Maximum number of groups of series that get tables; more would push the final verdicts off the terminal screen. */
const mostGroups = 2;

/**
 * Returns the lines about counts and steps of operations for a terminal. Each group of series has a table of counts, a table of
 * its steps at the smallest x, and sentences. Empty if no operation has counts.
 */
export function partLines(groups: readonly SeriesGroup[], width: number, colours: Colors): string[] {
  const found = partGroups(groups);
  const rest = found.length - mostGroups;
  const lines = found
    .slice(0, mostGroups)
    .flatMap((group) => [
      '',
      ...(found.length > 1 ? [colours.bold(group.title)] : []),
      ...terminalLines([countTable(group)], { columns: width, color: colours.isColorSupported }),
      ...variantTable(group, width, colours),
      '',
      ...partSentences(group).flatMap((text) => wrap(`${text}.`, width, '  ')),
    ]);
  return rest > 0 ? [...lines, '', `${rest} more of such tables in the report`] : lines;
}

/** Formats a value for a column with two decimals, or none from 1000 up: "0.42", "97.31", "1250". */
const decimals = (value: number): string => value.toFixed(value < 1000 ? 2 : 0);

/** Breaks a variant's name into lines of at most `width` characters, without its commas. */
function brokenName(name: string, width: number): string[] {
  return wrap(name.replaceAll(',', ''), width, '');
}

/**
 * Returns the table of an operation's steps (timed parts) at the smallest x: one row per step, one column per variant.
 * Variants that do not fit are only in the report.
 */
function variantTable(group: SeriesGroup, width: number, colours: Colors): string[] {
  const [x] = xsOf(group.series);
  const steps = [...stepsOf(group), ...partRows(group.row, 'whole'), ...concurrentTimes(group)];
  if (x === undefined) return [];
  const all = group.series.filter((one) => steps.some((of) => partAt(one, x, of) !== null));
  if (all.length === 0) return [];
  // The fastest variant decides the unit; otherwise its steps could all print as 0.00.
  const longest = all.map((one) => Math.max(...steps.map((of) => partAt(one, x, of)?.value ?? 0)));
  const unit = Math.min(...longest) < 1e6 ? { name: 'µs', ns: 1e3 } : { name: 'ms', ns: 1e6 };
  const lead = column(
    'step',
    `${unit.name} at ${group.x.text(x)}`,
    Math.max(...steps.map(({ title }) => title.length)),
    'left',
  );
  const heads = all.map((one) => brokenName(variantName(group, one), 10));
  const each = heads.map((words, i) => column(`${i}`, '', Math.max(6, ...words.map((word) => word.length))));
  let fits = all.length;
  while (fits > 1 && widthOf([lead, ...each.slice(0, fits)]) > width) fits -= 1;
  const columns = [lead, ...each.slice(0, fits)];
  const deepest = Math.max(...heads.slice(0, fits).map(({ length }) => length));
  const headLines = Array.from({ length: deepest }, (_, row) =>
    line(columns, {
      ...(row === deepest - 1 ? { step: lead.head } : {}),
      ...Object.fromEntries(heads.map((words, i) => [`${i}`, words[row - deepest + words.length] ?? ''])),
    }),
  );
  const lines = steps.map((of) =>
    line(columns, {
      step: of.title,
      ...Object.fromEntries(
        all.slice(0, fits).map((one, i) => {
          const part = partAt(one, x, of);
          return [`${i}`, part === null ? '' : decimals(part.value / unit.ns)];
        }),
      ),
    }),
  );
  const rest = all.length - fits;
  const note = rest === 0 ? [] : [`${rest} more in the report`];
  return ['', ...headLines.map(colours.dim), ...lines, ...note];
}
