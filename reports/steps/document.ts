// Counts, steps and order of speed, for workloads that measure the steps within an operation.
import type { Colors } from 'picocolors/types.js';
import type { MeasuredFigure, SideFigure } from '../../results/schema/index.ts';
import { type CellColumn, type DocumentTable, tableOf } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { terminalLines } from '../document/terminal.ts';
import { html, type SafeHtml } from '../html/markup.ts';
import type { FigureRenderer } from '../html/sections.ts';
import { namedX, rangeText } from '../rows.ts';
import { cellAt, figureOf, type Series, type SeriesGroup, xsOf } from '../series.ts';
import { capitalise, formatPercent, formatTime, manyOf, plusMinus, spreadText, wrap } from '../wording.ts';
import { steps } from './chart.ts';
import { countsOf, type SeriesCounts, sideCountText } from './counts.ts';
import { ratesOver } from './rates.ts';
import { partSentences } from './sentences.ts';
import {
  concurrentTimes,
  countedRows,
  partAt,
  partGroups,
  partInterval,
  partRows,
  stepsOf,
  variantName,
  wholePartAt,
} from './variants.ts';

/**
 * Returns the report's section about counts per operation (such as doorbells), times of an operation's steps, and rates. Empty if
 * no operation has counts. The section lacks the first chart of steps, because that is on the first screen.
 * @param draw draws a chart and returns its HTML
 */
export function partsSection(groups: readonly SeriesGroup[], draw: FigureRenderer['draw']): SafeHtml {
  const found = partGroups(groups);
  if (found.length === 0) return html``;
  const bodies: SafeHtml[] = [];
  const first = found.find((group) => stepsOf(group).length > 0);
  const said = new Set<string>();
  for (const group of found) {
    const title = found.length > 1 ? html`<h3>${capitalise(group.title)}</h3>` : '';
    const chart = group === first ? '' : draw(steps.draw(group));
    const fresh = partSentences(group).filter((text) => !said.has(text));
    for (const text of fresh) said.add(text);
    const sentences = fresh.map((text) => html`<p>${capitalise(text)}.</p>`);
    const all = { summary: `Steps of ${group.title}, all ${manyOf(group.x.noun)}`, body: stepTables(group) };
    const stepsByX = all.body.length === 0 ? [] : [{ kind: 'folded' as const, ...all }];
    bodies.push(
      html`${title}<div class="broad">${pageMarkup([countTable(group)])}</div>${sentences}${chart}${pageMarkup(stepsByX)}`,
    );
  }
  for (const figure of ratesOver(groups)) bodies.push(draw(figure));
  return html`${bodies}`;
}

/**
 * Returns the table of counts per operation (such as doorbells) of each series, with the times at the smallest and the largest x.
 */
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

/** Formats a measured time with its interval: "7.41 µs ±1.6 %"; the time alone without an interval, null for null. */
function timeText(figure: MeasuredFigure | null): string | null {
  if (figure === null) return null;
  const { value, interval } = figure;
  return `${formatTime(value)}${interval === null ? '' : ` ${plusMinus(value, interval)}`}`;
}

/** A column of a table of steps: one series at one x. */
interface StepColumn {
  head: string;
  series: Series;
  x: number;
}

/**
 * Returns tables of an operation's steps. Several series have one table per x, in which each series is a column; a single series
 * has one table with a column per x. Empty if no step was timed.
 */
function stepTables(group: SeriesGroup): DocumentTable[] {
  const xs = stepsOf(group).length === 0 ? [] : xsOf(group.series);
  const [only, ...others] = group.series;
  if (only === undefined || others.length > 0)
    return xs.map((x, i) =>
      stepTable(
        group,
        ` at ${namedX(group.x, x)}`,
        group.series.map((series) => ({ head: variantName(group, series), series, x })),
        i === 0,
      ),
    );
  const columns = xs.map((x): StepColumn => ({ head: group.x.text(x), series: only, x }));
  return columns.length === 0 ? [] : [stepTable(group, ` by ${group.x.noun}`, columns, true)];
}

/**
 * Returns a table with a row for each step, the whole time, concurrent times, the interval, and the share of time outside all
 * steps. Columns without any time are left out.
 * @param where end of the table's title, such as " at 8 B"
 * @param isExplained true = the table has a caption
 */
function stepTable(
  group: SeriesGroup,
  where: string,
  columns: readonly StepColumn[],
  isExplained: boolean,
): DocumentTable {
  const { row } = group;
  const timed = [...stepsOf(group), ...partRows(row, 'whole'), ...concurrentTimes(group)];
  const captions = timed.flatMap(({ title, caption }) =>
    caption === undefined ? [] : [`${title}: ${caption}`],
  );
  const rows: { head: string; cell(series: Series, x: number): string | number | null }[] = [
    ...timed.map((of) => ({ head: of.title, cell: (one: Series, x: number) => stepNs(partAt(one, x, of)) })),
    { head: '±', cell: (one, x) => totalSpread(wholePartAt(one, x, row)) },
    ...partRows(row, 'rest').map((rest) => ({
      head: `${rest.title} share`,
      cell: (one: Series, x: number) => shareOf(partAt(one, x, rest), wholePartAt(one, x, row)),
    })),
  ];
  const measured = columns.filter(({ series, x }) => timed.some((of) => partAt(series, x, of) !== null));
  return tableOf<(typeof rows)[number]>(
    [
      { head: `step${where}`, cell: ({ head }) => head },
      ...measured.map(({ head, series, x }, at) => ({
        head,
        quantity: 'ns' as const,
        ...(at > 0 ? { priority: at } : {}),
        cell: ({ cell }: (typeof rows)[number]) => cell(series, x),
      })),
    ],
    rows,
    {
      title: `Steps of one ${row.noun}${where}.`,
      ...(isExplained
        ? {
            caption:
              `± is half the 95 % interval of the total between launches. ${captions.join('; ')}`.trim(),
          }
        : {}),
      columnNoun: 'column',
      rest: ': see the report',
    },
  );
}

/** Returns the time of a step in ns; 0 if it is within 0.5 ns of zero, as a remainder may be. '' if the step was not measured. */
const stepNs = (part: SideFigure | null): number | '' =>
  part === null ? '' : Math.abs(part.value) < 0.5 ? 0 : part.value;

function totalSpread(whole: SideFigure | null): string | null {
  const interval = whole === null ? null : partInterval(whole);
  return whole === null || interval === null ? null : spreadText(whole.value, interval);
}

const shareOf = (part: SideFigure | null, whole: SideFigure | null): string | null =>
  part === null || whole === null || !(whole.value > 0) ? null : formatPercent(part.value / whole.value);

/** Maximum number of groups of series that get tables in a terminal; more would push the final verdicts off the screen. */
const maxGroups = 2;

/**
 * Returns the lines about counts and steps of operations for a terminal. Each of the first two groups of series has a table of
 * counts, a table of steps, and sentences; further groups are counted. The table of steps is for the smallest x, or for a single
 * series for all x. Empty if no operation has counts.
 */
export function partLines(groups: readonly SeriesGroup[], width: number, colours: Colors): string[] {
  const found = partGroups(groups);
  const rest = found.length - maxGroups;
  const lines = found.slice(0, maxGroups).flatMap((group) => [
    '',
    ...(found.length > 1 ? [colours.bold(group.title)] : []),
    ...terminalLines([countTable(group), ...stepTables(group).slice(0, 1)], {
      columns: width,
      color: colours.isColorSupported,
    }),
    '',
    ...partSentences(group).flatMap((text) => wrap(`${text}.`, width, '  ')),
  ]);
  return rest > 0 ? [...lines, '', `${rest} more of such tables in the report`] : lines;
}
