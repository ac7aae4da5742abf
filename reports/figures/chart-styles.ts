// How series are told apart in print: by colour, by symbol or lightness, and by a dash where the medium is emulated.
import { bySeries } from '../charts/spec.ts';
import type { Series } from '../series.ts';
import { distinctFills } from './lightness.ts';
import type { TextMeasure } from './pdf.ts';
import type { FigureTheme, PaperColumns } from './theme.ts';

export const widthOf = ({ inches }: FigureTheme, columns: PaperColumns): number => inches[columns] * 72;

/** A width that holds for all of a drawing: axes and legend lie within it. */
export const fixedSize = (theme: FigureTheme, columns: PaperColumns, height?: number): object => ({
  width: widthOf(theme, columns),
  ...(height === undefined ? {} : { height }),
  autosize: { type: height === undefined ? 'fit-x' : 'fit', contains: 'padding' },
});

/** Of letters. Lines are longer than Vega's own, so that a dash can be seen in a legend. */
const symbolLength = { line: 2.6, square: 1 };

/**
 * As many columns as the names leave room for.
 * @param taken of the width, beside the plot: a legend begins where the plot does
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
  // Nothing stands behind the last one.
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

/** Dashes of emulated media, in points. */
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
    // Captions explain it: around a symbol a dash is no more than specks.
    strokeDash: bySeries(
      domain,
      series.map((one) => dashOf(one, theme)),
      null,
    ),
    shape: of(series.map(({ shape }) => shape)),
    // Bars have no symbols: their lightness tells them apart.
    fill: of(distinctFills(series.map(({ colour }) => colour))),
  };
}

export const uniqueSeries = (series: readonly Series[]): Series[] =>
  series.filter((one, i) => series.findIndex(({ label }) => label === one.label) === i);
