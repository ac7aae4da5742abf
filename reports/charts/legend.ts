// Legends, and what distinguishes series: colour, dash and symbol.
import type { Series } from '../series.ts';
import { dashOf, type SeriesStyle, seriesStyles } from '../theme.ts';
import type { ChartRow } from './chart.ts';
import { bySeries, type ChartForm, type LegendSymbol } from './spec.ts';

/**
 * Pixels per letter, as Vega estimates letters without a canvas (0.8 of the font size). `symbolLetters` is the width of a
 * legend's symbol in letters.
 */
const letterWidth = 0.8 * 12;
const symbolLetters = 4;

/**
 * Shortens legend labels: removes options after ";" and "link none", which only the report's text needs. Returns all labels
 * unchanged if two would become equal.
 */
function shortLabels(labels: readonly string[]): string[] {
  const short = labels.map((label) => label.replace(/;[^()]*(?=\))/, '').replace(/ link none(?=\))/, ''));
  return new Set(short).size === new Set(labels).size ? short : [...labels];
}

/**
 * Returns each series name with its legend label as lines. Labels are broken into lines only if the legend would be wider than
 * the plot, because Vega would then shrink the plot.
 * @param width width of the plot in pixels
 */
function brokenLabels(names: readonly string[], columns: number, width: number): [string, string[]][] {
  const labels = shortLabels(names);
  const letters = Math.floor(width / letterWidth) - columns * symbolLetters;
  const widest = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...labels.filter((_label, i) => i % columns === column).map(({ length }) => length)),
  );
  const isFine = widest.reduce((sum, one) => sum + one, 0) <= letters;
  return names.map((name, i) => {
    const label = labels[i] ?? name;
    return [name, isFine ? [label] : linesOf(label, Math.floor(letters / columns))];
  });
}

/**
 * Returns the Vega expression that gives the legend's labels, broken into lines if they do not fit.
 * @param width width of the plot in pixels
 */
export const legendText = (labels: readonly string[], columns: number, width: number): string =>
  `(${JSON.stringify(Object.fromEntries(brokenLabels(labels, columns, width)))})[datum.label]`;

/** Breaks a label after spaces and commas into lines of at most `width` letters. */
function linesOf(label: string, width: number): string[] {
  const lines = [''];
  for (const part of label.split(/(?<=[ ,])/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + part.trimEnd().length > width) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line) => line.trimEnd());
}

/** The fields of a series that a legend needs. */
export type LegendSeries = Pick<Series, 'label' | 'colour' | 'shape'> & { medium: string };

/** Returns the series of chart rows with their looks, in the order of the rows. */
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
 * Returns the encodings that distinguish series by colour, dash and symbol, with one legend for all three. The legend's
 * symbols are opaque even if the marks are transparent.
 */
export function seriesEncoding(
  series: readonly LegendSeries[],
  form: Pick<ChartForm, 'dash' | 'legend'>,
  symbol: LegendSymbol = 'stroke',
): { color: object; strokeDash: object; shape?: object } {
  const domain = series.map((s) => s.label);
  const marked = needsShapes(series);
  const legend = form.legend?.(domain, marked ? null : symbol) ?? null;
  const of = (range: readonly unknown[], shown = legend) => bySeries(domain, range, shown);
  return {
    color: of(series.map((s) => s.colour)),
    // Dashes around a symbol would look broken; the names already say which series are emulated.
    strokeDash: of(
      series.map((s) => form.dash(dashOf(s.medium))),
      marked ? null : legend,
    ),
    ...(marked ? { shape: of(series.map((s) => s.shape)) } : {}),
  };
}

/**
 * True if points need different symbols, because colours alone do not distinguish the series (grey print, or more series than
 * colours).
 */
function needsShapes(series: readonly LegendSeries[]): boolean {
  return series.some((s) => s.shape !== 'circle');
}
