// Looks of series in print: colour, symbol or lightness, and a dash for emulated media.
import { bySeries } from '../charts/spec.ts';
import type { Series } from '../series.ts';
import { distinctFills } from './lightness.ts';
import type { TextMeasure } from './pdf.ts';
import type { FigureTheme, PaperColumns } from './theme.ts';

export const widthOf = ({ inches }: FigureTheme, columns: PaperColumns): number => inches[columns] * 72;

/**
 * Returns Vega size properties for a drawing whose total width, including axes and legend, is the theme's column width.
 * @param columns number of page columns that the figure spans
 */
export const fixedSize = (theme: FigureTheme, columns: PaperColumns, height?: number): object => ({
  width: widthOf(theme, columns),
  ...(height === undefined ? {} : { height }),
  autosize: { type: height === undefined ? 'fit-x' : 'fit', contains: 'padding' },
});

/** Length of a legend's symbol, in letters. Line symbols are longer than Vega's default, so that a dash pattern is visible. */
const symbolLength = { line: 2.6, square: 1 };

/**
 * Returns a legend with as many columns as fit into the figure's width.
 * @param taken width to the left of the plot in points, which the legend cannot use because it starts where the plot does
 */
export function legendOf(
  names: readonly string[],
  theme: FigureTheme,
  columns: PaperColumns,
  measure: TextMeasure,
  symbol: Record<string, unknown>,
  taken = 0,
): object {
  const { fontSize } = theme;
  const widest = Math.max(...names.map((name) => measure(name, fontSize)));
  const length = symbol.symbolType === 'square' ? symbolLength.square : symbolLength.line;
  const each = widest + (length + 2) * fontSize;
  // No gap follows the last column.
  const room = Math.max(1, Math.floor((widthOf(theme, columns) - taken + fontSize) / each));
  return {
    title: null,
    orient: 'top',
    direction: 'horizontal',
    columns: Math.min(names.length, room),
    symbolStrokeWidth: theme.line,
    symbolOpacity: 1,
    ...symbol,
  };
}

/** Returns the dash pattern of a series' line in points: dashed for emulated media, else solid. */
const dashOf = ({ medium }: Series, { line }: FigureTheme): number[] =>
  medium === 'emulated' ? [4 * line, 2.5 * line] : [1, 0];

export interface ChartStyles {
  color: object;
  strokeDash: object;
  shape: object;
  fill: object;
}

export function chartStyles(
  series: readonly Series[],
  theme: FigureTheme,
  legend: object | null,
): ChartStyles {
  const domain = series.map(({ label }) => label);
  const of = (range: readonly unknown[]) => bySeries(domain, range, legend);
  return {
    color: of(series.map(({ colour }) => colour)),
    // The legend shows no dashes, because they are hard to see around a symbol; captions explain them.
    strokeDash: bySeries(
      domain,
      series.map((one) => dashOf(one, theme)),
      null,
    ),
    shape: of(series.map(({ shape }) => shape)),
    // Bars have no symbols, so their lightness differs.
    fill: of(distinctFills(series.map(({ colour }) => colour))),
  };
}

export const uniqueSeries = (series: readonly Series[]): Series[] =>
  series.filter((one, i) => series.findIndex(({ label }) => label === one.label) === i);
