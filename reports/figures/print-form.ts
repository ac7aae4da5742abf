// The form in which charts are drawn on paper: lengths, fonts and legend, computed from a theme.
import { type LegendSeries, seriesEncoding } from '../charts/legend.ts';
import {
  bySeries,
  type ChartForm,
  type ChartLegend,
  type ChartSpec,
  type LegendSymbol,
  topLevel,
} from '../charts/spec.ts';
import type { Series } from '../series.ts';
import { ink } from '../theme.ts';
import { distinctFills } from './lightness.ts';
import type { TextMeasure } from './pdf.ts';
import type { FigureTheme, PaperColumns } from './theme.ts';

/**
 * Theme and width that all drawings of one figure share. `columns`: number of page columns that the figure spans. `measure`:
 * returns the width of a text in points.
 */
export interface PrintStyle {
  theme: FigureTheme;
  columns: PaperColumns;
  measure: TextMeasure;
}

/** Returns the width of a figure in points. */
export const widthOf = ({ theme, columns }: PrintStyle): number => theme.inches[columns] * 72;

/** Maximum number of labels of an x axis that is as wide as the whole figure, for figures of one or two page columns. */
const labels: Record<PaperColumns, number> = { one: 5, two: 11 };

/**
 * Returns the form of a drawing whose width includes its axes and legend.
 * @param across number of drawings side by side in the figure
 * @param height height in points; absent = the height follows from the content
 */
export function printForm(style: PrintStyle, across = 1, height?: number): ChartForm {
  const { fontSize, smallSize, line, point, config: all } = style.theme;
  const { padding, ...config } = all;
  const width = widthOf(style) / across;
  return {
    width,
    size: {
      width,
      ...(height === undefined ? {} : { height }),
      autosize: { type: height === undefined ? 'fit-x' : 'fit', contains: 'padding' },
    },
    padding: padding as number,
    config,
    ticks: { x: Math.max(3, Math.floor(labels[style.columns] / across)), y: 5 },
    xAxis: { labelAngle: 0, labelFlush: true },
    yAxis: {},
    line,
    whisker: line * 0.8,
    // A white edge separates symbols that overlap.
    point: () => ({ size: point, stroke: ink.paper, strokeWidth: line / 2 }),
    rule: { strokeWidth: line },
    ruleText: { baseline: 'top', dx: 3, dy: 2, fontSize: smallSize },
    dash: (pattern) =>
      pattern.includes(0)
        ? [...pattern]
        : pattern.map((length) => Math.round((length * fontSize) / 1.2) / 10),
    legend: (series, symbol) =>
      printLegend(
        series.map(({ label }) => label),
        style,
        symbol,
      ),
  };
}

/**
 * Length of a symbol in the legend, as a multiple of the font size. Line symbols are longer than Vega's default, so that a dash
 * pattern is visible.
 */
const symbolLength = { line: 2.6, square: 1 };

/**
 * Returns the properties of a legend with as many columns as fit into the figure's width.
 * @param names names of the series
 * @param symbol symbol of every entry; null = each series' own symbol
 * @param taken width to the left of the plot in points, which the legend cannot use because it starts where the plot does
 */
export function printLegend(
  names: readonly string[],
  style: PrintStyle,
  symbol: LegendSymbol | null,
  taken = 0,
): ChartLegend {
  const { fontSize, point, line } = style.theme;
  const widest = Math.max(...names.map((name) => style.measure(name, fontSize)));
  const length = symbol === 'square' ? symbolLength.square : symbolLength.line;
  const each = widest + (length + 2) * fontSize;
  // The font size is added because no gap follows the last column.
  const room = Math.max(1, Math.floor((widthOf(style) - taken + fontSize) / each));
  return {
    title: null,
    orient: 'top',
    direction: 'horizontal',
    columns: Math.min(names.length, room),
    symbolOpacity: 1,
    ...(symbol === null
      ? { symbolSize: 3 * point, symbolStrokeWidth: 0 }
      : {
          symbolType: symbol,
          symbolSize: (symbol === 'stroke' ? 4 : 1) * fontSize ** 2,
          symbolStrokeWidth: line,
        }),
  };
}

/** Returns the number of rows that a legend with these names takes. */
export const legendRows = (names: readonly unknown[], { columns }: ChartLegend): number =>
  Math.ceil(names.length / columns);

/**
 * Returns the Vega-Lite encoding of series by the fill colour of their bars. Bars have no symbols, so the colours are changed to
 * differ in lightness too.
 * @param legend properties of the legend; null = no legend
 */
export const fillEncoding = (series: readonly LegendSeries[], legend: object | null): object =>
  bySeries(
    series.map(({ label }) => label),
    distinctFills(series.map(({ colour }) => colour)),
    legend,
  );

/**
 * Returns a specification that draws only the legend, as wide as all panels together.
 * @param isFilled true = symbols of bars, false = symbols of lines
 */
export function legendSpec(
  series: readonly LegendSeries[],
  style: PrintStyle,
  legend: ChartLegend,
  isFilled = false,
): ChartSpec {
  const { fontSize } = style.theme;
  const form = printForm(style, 1, legendRows(series, legend) * 1.45 * fontSize + fontSize);
  const { color, strokeDash, shape } = seriesEncoding(series, { ...form, legend: () => legend });
  const drawn = {
    data: { values: series.map(({ label }) => ({ series: label })) },
    mark: isFilled ? { type: 'bar', opacity: 0 } : { type: 'point', filled: true, opacity: 0 },
    encoding: isFilled
      ? { fill: fillEncoding(series, legend), stroke: color, strokeDash }
      : { color, shape, x: { value: 0 }, y: { value: 0 } },
  };
  return topLevel('Legend', drawn, form.size, form);
}

/** Returns a chart's specification with the title of its panel above it; '' = no title, the specification is returned unchanged. */
export const withTitle = (spec: ChartSpec, text: string, { fontSize }: FigureTheme): ChartSpec =>
  text === ''
    ? spec
    : {
        ...spec,
        title: { text, anchor: 'start', frame: 'group', fontSize, fontWeight: 'bold', offset: fontSize / 4 },
      };

export const uniqueSeries = (series: readonly Series[]): Series[] =>
  series.filter((one, i) => series.findIndex(({ label }) => label === one.label) === i);
