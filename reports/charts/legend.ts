// Legends of charts, and the properties that distinguish series: colour, dash and symbol.
import type { Series } from '../series.ts';
import { dashOf, type SeriesStyle, seriesStyles } from '../theme.ts';
import { breakLabel } from '../wording.ts';
import type { ChartRow } from './chart.ts';
import { bySeries, type ChartForm, type LegendLabel, type LegendSymbol } from './spec.ts';

/**
 * Estimated width of a letter in pixels: 0.8 of the font size, as Vega estimates it without a canvas. `symbolLetters` is the width
 * of a legend's symbol in letters.
 */
const letterWidth = 0.8 * 12;
const symbolLetters = 4;

/** Returns the short labels of series for a legend; the full labels if two short ones would be equal. */
function shortLabels(series: readonly LegendLabel[]): string[] {
  const short = series.map(({ label, shortLabel = label }) => shortLabel);
  const whole = series.map(({ label }) => label);
  return new Set(short).size === new Set(whole).size ? short : whole;
}

/**
 * Returns for each series its full label and the list of lines that the legend shows for it. The text is the short label, or the
 * full one if two short labels would be equal. It is wrapped only if the legend would be wider than the plot, because Vega would
 * then shrink the plot.
 * @param columns number of columns of the legend
 * @param width width of the plot in pixels
 */
function brokenLabels(series: readonly LegendLabel[], columns: number, width: number): [string, string[]][] {
  const labels = shortLabels(series);
  const letters = Math.floor(width / letterWidth) - columns * symbolLetters;
  const widest = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...labels.filter((_label, i) => i % columns === column).map(({ length }) => length)),
  );
  const isFine = widest.reduce((sum, one) => sum + one, 0) <= letters;
  return series.map(({ label: whole }, i) => {
    const label = labels[i] ?? whole;
    return [whole, isFine ? [label] : breakLabel(label, Math.floor(letters / columns))];
  });
}

/**
 * Returns the Vega expression that gives the text of each legend entry: a short label of the series, wrapped if the legend would be
 * wider than the plot.
 * @param columns number of columns of the legend
 * @param width width of the plot in pixels
 */
export const legendText = (series: readonly LegendLabel[], columns: number, width: number): string =>
  `(${JSON.stringify(Object.fromEntries(brokenLabels(series, columns, width)))})[datum.label]`;

/** A series with what a legend shows: labels, colour, symbol and medium. */
export type LegendSeries = LegendLabel & Pick<Series, 'colour' | 'shape'> & { medium: string };

/** Returns the series that occur in chart rows, with colours and symbols, in the order of the rows. */
export function legendSeriesOf(rows: readonly ChartRow[]): LegendSeries[] {
  const lines = [...new Map(rows.map((row) => [String(row.series), row]))];
  const styles = seriesStyles(lines.map(([, { transport }]) => String(transport)));
  return lines.map(([label, { medium }], i) => ({
    label,
    medium: String(medium),
    ...(styles[i] as SeriesStyle),
  }));
}

/**
 * Returns the encodings that distinguish series by colour, dash and symbol, with one legend for all three. `shape` is absent if all
 * symbols are circles. The legend's symbols are opaque even if the marks are transparent.
 * @param symbol symbol of legend entries if all symbols are circles
 */
export function seriesEncoding(
  series: readonly LegendSeries[],
  form: Pick<ChartForm, 'dash' | 'legend'>,
  symbol: LegendSymbol = 'stroke',
): { color: object; strokeDash: object; shape?: object } {
  const domain = series.map((s) => s.label);
  // Points have different symbols where colours alone do not distinguish the series: in grey print, or with more series than colours.
  const marked = series.some((one) => one.shape !== 'circle');
  const legend = form.legend?.(series, marked ? null : symbol) ?? null;
  const of = (range: readonly unknown[], shown = legend) => bySeries(domain, range, shown);
  return {
    color: of(series.map((s) => s.colour)),
    // Dashes around a symbol would look broken, so the legend does not show them; the names say which series are emulated.
    strokeDash: of(
      series.map((s) => form.dash(dashOf(s.medium))),
      marked ? null : legend,
    ),
    ...(marked ? { shape: of(series.map((s) => s.shape)) } : {}),
  };
}
