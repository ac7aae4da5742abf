// Figures 5.5, 5.6, 6.1 and 6.2: one value for each operation and series, its interval as a whisker, its number beside it.
import type { Row } from '../charts/index.ts';
import { type ChartSpec, topLevel } from '../charts/spec.ts';
import type { Series } from '../series.ts';
import { withConfig } from './curves.ts';
import { legendOf, looksOf, sized, widthOf } from './looks.ts';
import type { Measure } from './pdf.ts';
import type { Columns, Theme } from './theme.ts';

export interface Bars {
  series: readonly Series[];
  /** `what`, `series`, `value`, `low`, `high`, `text`. */
  rows: Row[];
  /** "Collective", "Model". */
  noun: string;
  /** With its unit. */
  title: string;
}

export function barsSpec(bars: Bars, theme: Theme, columns: Columns, measure: Measure): ChartSpec {
  const { series, rows, noun, title } = bars;
  const { fontSize, smallSize, line } = theme;
  const names = series.map(({ label }) => label);
  const symbol = { symbolType: 'square', symbolSize: fontSize ** 2, symbolStrokeWidth: line };
  const widest = Math.max(...rows.map(({ what }) => measure(`${what}`, fontSize)));
  // Names of the axis and its title stand left of the plot.
  const legend = legendOf(names, theme, columns, measure, symbol, widest + 2 * fontSize);
  const { color, strokeDash, fill } = looksOf(series, theme, legend);
  const y = {
    field: 'what',
    type: 'nominal',
    sort: null,
    scale: { paddingInner: 0.25, paddingOuter: 0.1 },
    axis: { title: noun, grid: false, ticks: false, domain: false, labelLimit: 0 },
  };
  const yOffset = {
    field: 'series',
    type: 'nominal',
    sort: null,
    scale: { domain: names, paddingInner: 0.15 },
  };
  const end = (row: Row) => Math.max(Number(row.value), Number(row.high ?? 0));
  const x = {
    field: 'value',
    type: 'quantitative',
    scale: { domain: [0, topOf(bars, theme, columns, measure, end)], nice: false },
    axis: { title, tickCount: columns === 'one' ? 5 : 9, format: ',~r', grid: true },
  };
  const hasInterval = { filter: 'isValid(datum.low) && isValid(datum.high)' };
  // Black on white, so that it is seen on a dark bar, too.
  const whisker = (color: string, thickness: number) => [
    {
      transform: [hasInterval],
      mark: { type: 'rule', strokeWidth: thickness, color },
      encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' } },
    },
    ...['low', 'high'].map((field) => ({
      transform: [hasInterval],
      mark: { type: 'tick', orient: 'vertical', size: fontSize * 0.5, thickness, color },
      encoding: { x: { ...x, field } },
    })),
  ];
  const drawn = {
    data: { values: rows.map((row) => ({ ...row, end: end(row) })) },
    encoding: { y, yOffset },
    layer: [
      {
        mark: { type: 'bar', strokeWidth: line },
        encoding: { x, fill, stroke: color, strokeDash },
      },
      ...whisker('#ffffff', line * 2.4),
      ...whisker('#000000', line * 0.8),
      {
        mark: { type: 'text', align: 'left', dx: 3, fontSize: smallSize },
        encoding: { x: { ...x, field: 'end' }, text: { field: 'text' } },
      },
    ],
  };
  const size = { ...sized(theme, columns), height: { step: fontSize * 1.25, for: 'offset' } };
  return withConfig(topLevel(title, drawn, {}), theme, size);
}

/** The axis ends where the number behind the longest bar does. */
function topOf(
  { rows }: Bars,
  theme: Theme,
  columns: Columns,
  measure: Measure,
  end: (row: Row) => number,
): number {
  const labels = Math.max(...rows.map(({ what }) => measure(String(what), theme.fontSize)));
  const plot = widthOf(theme, columns) - labels - 4 * theme.fontSize;
  const needed = rows.map((row) => {
    const words = measure(String(row.text), theme.smallSize) + theme.fontSize;
    return end(row) / Math.max(0.3, 1 - words / plot);
  });
  return Math.max(...needed) * 1.02;
}
