// Bar charts for papers: one bar per operation and series with its value behind it, intervals as whiskers, one panel per rank
// count.
import { barView } from '../charts/bars.ts';
import type { ChartRow } from '../charts/index.ts';
import { seriesEncoding } from '../charts/legend.ts';
import { decadesWithin } from '../charts/scales.ts';
import { type ChartLegend, type ChartSpec, topLevel } from '../charts/spec.ts';
import type { Series } from '../series.ts';
import { plural } from '../wording.ts';
import type { FigurePanels, PaperFigure } from './paper.ts';
import {
  fillEncoding,
  legendSpec,
  type PrintStyle,
  printForm,
  printLegend,
  uniqueSeries,
  widthOf,
  withTitle,
} from './print-form.ts';

/** One bar of a bar chart. `row` has the fields `what` (operation), `ranks`, `series`, `value`, `low`, `high` and `text`. */
interface BarRow {
  row: ChartRow;
  series: Series;
  ranks: number;
}

interface BarLabels {
  /** Start of the figures' file names; the rank count is appended if there is one figure per rank count. */
  name: string;
  /** Noun for the operations along the axis: "Collective", "Model". */
  noun: string;
  /** Title of the value axis without the unit. `unit` is added to it. */
  title: string;
  unit: string;
}

/** Maximum number of bars in one figure with several rank counts; more would not fit on a printed page. */
const maxBars = 48;

/**
 * Returns one figure with a panel per rank count, in ascending order of rank counts. If there are several rank counts and more than
 * 48 bars, one figure would be longer than a page, so each rank count has its own figure.
 * @param words returns title and caption for the bars of one figure
 */
export function barFigures<T extends BarRow>(
  bars: readonly T[],
  { name, noun, title, unit }: BarLabels,
  words: (bars: readonly T[]) => { title: string; caption: string },
): PaperFigure[] {
  const counts = [...new Set(bars.map(({ ranks }) => ranks))].sort((a, b) => a - b);
  const isOne = counts.length === 1 || bars.length <= maxBars;
  const sets = isOne ? [counts] : counts.map((ranks) => [ranks]);
  return sets.map((ranks): PaperFigure => {
    const mine = bars.filter((bar) => ranks.includes(bar.ranks));
    const series = uniqueSeries(mine.map((bar) => bar.series));
    const one = words(mine);
    return {
      kind: 'figure',
      name: isOne ? name : `${name}-${ranks[0]}-ranks`,
      title: isOne ? one.title : `${one.title}, ${plural(ranks[0] ?? 0, 'rank')}`,
      caption: one.caption,
      rows: mine.map(({ row: { what: _what, text: _text, ...rest } }) => rest),
      panels: (style) => {
        const panels = ranks.map((count) => ({
          title: ranks.length === 1 ? '' : plural(count, 'rank'),
          rows: mine.filter((bar) => bar.ranks === count).map(({ row }) => row),
        }));
        return barPanels({ series, panels, noun, title, unit }, style);
      },
    };
  });
}

interface BarChart {
  series: readonly Series[];
  panels: { title: string; rows: ChartRow[] }[];
  noun: string;
  title: string;
  unit: string;
}

/**
 * Limits above which some bars would be too short to read on a linear axis, so that dots on a logarithmic axis replace all bars.
 * `longWhisker`: highest end of an interval, divided by the largest value. `farApart`: largest value divided by the smallest.
 */
const longWhisker = 2.5;
const farApart = 30;

/**
 * Returns the panels of a bar chart, which share their value axis. If a linear axis would make some bars too short, dots on a
 * logarithmic axis replace the bars.
 */
function barPanels(bars: BarChart, style: PrintStyle): FigurePanels {
  const { series, panels } = bars;
  const { fontSize } = style.theme;
  const rows = panels.flatMap((panel) => panel.rows);
  const values = rows.map(({ value }) => Number(value));
  const most = Math.max(...values);
  const isDotted = Math.max(...rows.map(endOf)) > longWhisker * most || most > farApart * Math.min(...values);
  const names = series.map(({ label }) => label);
  const across = Math.min(panels.length, style.columns === 'one' ? 1 : 3);
  const isOne = panels.length === 1;
  const labels = Math.max(...rows.map(({ what }) => style.measure(String(what), fontSize)));
  // The names of the bars and the axis title are left of the plot; the legend needs this width.
  const legend = printLegend(names, style, isDotted ? null : 'square', isOne ? labels + 2 * fontSize : 0);
  const shared = { ...bars, rows, isDotted, labels, across, legend: isOne ? legend : null };
  return {
    legend: isOne ? null : legendSpec(series, style, legend, !isDotted),
    specs: panels.map((panel) => panelSpec(shared, panel, style)),
    across,
  };
}

const endOf = (row: ChartRow): number => Math.max(Number(row.value), Number(row.high ?? 0));

interface SharedScale extends Omit<BarChart, 'panels'> {
  /** Rows of all panels together, from which the range of the shared value axis is computed; not empty. */
  rows: ChartRow[];
  isDotted: boolean;
  /** Width of the longest name along the axis, in points. */
  labels: number;
  /** Number of panels side by side. */
  across: number;
  /** Legend of the only panel; null if there are several panels, because the figure then has one legend above them. */
  legend: ChartLegend | null;
}

function panelSpec(shared: SharedScale, panel: BarChart['panels'][number], style: PrintStyle): ChartSpec {
  const { series, noun, title, unit, isDotted, legend } = shared;
  const { fontSize, smallSize, line, point } = style.theme;
  const form = printForm(style, shared.across);
  const { color, strokeDash, shape } = seriesEncoding(series, {
    ...form,
    legend: legend === null ? null : () => legend,
  });
  const domain = domainOf(shared, style);
  const x = {
    field: 'value',
    type: 'quantitative',
    scale: { domain, nice: false, ...(isDotted ? { type: 'log' } : {}) },
    axis: {
      title: `${title} (${unit}${isDotted ? ', log scale' : ''})`,
      ...(isDotted ? { values: decadesWithin(...domain) } : { tickCount: form.width < 300 ? 4 : 9 }),
      format: ',~r',
      grid: true,
    },
  };
  const hasInterval = { filter: 'isValid(datum.low) && isValid(datum.high)' };
  const whisker = (thickness: number, mark: { color?: string }, rule: object = {}, ends: object = {}) => [
    {
      transform: [hasInterval],
      mark: { type: 'rule', strokeWidth: thickness, ...mark },
      encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' }, ...rule },
    },
    ...['low', 'high'].map((field) => ({
      transform: [hasInterval],
      mark: { type: 'tick', orient: 'vertical', size: fontSize * 0.5, thickness, ...mark },
      encoding: { x: { ...x, field }, ...ends },
    })),
  ];
  const marks = isDotted
    ? [
        ...whisker(line * 0.9, {}, { color, strokeDash }, { color }),
        {
          mark: { type: 'point', filled: true, opacity: 1, size: 2 * point },
          encoding: { x, color, ...(shape === undefined ? {} : { shape }) },
        },
      ]
    : [
        {
          mark: { type: 'bar', strokeWidth: line },
          encoding: { x, fill: fillEncoding(series, legend), stroke: color, strokeDash },
        },
        // A black line on a wider white one stays visible on a dark bar.
        ...whisker(line * 2.4, { color: '#ffffff' }),
        ...whisker(line * 0.8, { color: '#000000' }),
      ];
  const drawn = {
    data: { values: panel.rows.map((row) => ({ ...row, end: endOf(row) })) },
    ...barView({
      field: 'what',
      names: series.map(({ label }) => label),
      step: fontSize * 1.25,
      axis: { title: noun, labelLimit: 0 },
      marks,
      end: { ...x, field: 'end' },
      label: { dx: 3, fontSize: smallSize },
    }),
  };
  return withTitle(topLevel(title, drawn, form.size, form), panel.title, style.theme);
}

/**
 * Returns the range of the value axis, from 0, or for dots from the power of ten below all values. The range leaves room for the
 * number behind the longest bar.
 */
function domainOf(
  { rows, isDotted, labels, across }: SharedScale,
  style: PrintStyle,
): [low: number, high: number] {
  const { fontSize, smallSize } = style.theme;
  const plot = widthOf(style) / across - labels - 4 * fontSize;
  const shareOf = (row: ChartRow) =>
    Math.max(0.3, 1 - (style.measure(String(row.text), smallSize) + fontSize) / plot);
  if (!isDotted) return [0, Math.max(...rows.map((row) => endOf(row) / shareOf(row))) * 1.02];
  const ends = rows.flatMap(({ value, low }) => [Number(value), ...(Number(low) > 0 ? [Number(low)] : [])]);
  const low = 10 ** Math.floor(Math.log10(Math.min(...ends)));
  const high = Math.max(...rows.map((row) => low * 10 ** (Math.log10(endOf(row) / low) / shareOf(row))));
  return [low, Math.max(10 * low, high * 1.05)];
}
