// Band, line and points over a logarithmic x, with the legend of their series.
import type { FigureData } from '../../results/schema/index.ts';
import type { XAxisFormat } from '../rows.ts';
import type { Series } from '../series.ts';
import { type ChartSize, chartSizes, dashOf, ink } from '../theme.ts';
import { bandRows } from './bands.ts';
import type { ChartRow } from './chart.ts';
import { bySeries, type ChartSpec, textHalo, titleAbove, topLevel } from './spec.ts';

/**
 * Returns a logarithmic x axis with about `ticks` labels, such as 4 KiB, at powers of the base. A single value gets the only
 * label.
 */
export function logAxis(
  { base, field, title, text }: XAxisFormat,
  values: readonly number[],
  ticks: number,
): object {
  const logs = values.map(base === 2 ? Math.log2 : Math.log10);
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const step = Math.max(1, Math.ceil((high - low) / ticks));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isSingle = least === most;
  const marks: number[] = isSingle ? [least] : [];
  for (let k = low; k <= high && !isSingle; k += step) marks.push(base ** k);
  const labels = Object.fromEntries(marks.map((v) => [String(v), text(v)]));
  return {
    field,
    type: 'quantitative',
    scale: {
      type: 'log',
      base,
      // A single value is drawn in the middle.
      domain: isSingle ? [least / base, most * base] : [least, most],
      nice: false,
    },
    axis: {
      title,
      values: marks,
      labelExpr: `(${JSON.stringify(labels)})[datum.value]`,
      labelAngle: ticks < 8 ? 315 : 0,
      labelBaseline: 'top',
      labelOverlap: false,
      grid: false,
    },
  };
}

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

/**
 * Returns title and label format of a vertical axis for a derived figure. Values per second can be billions, so their labels
 * have SI prefixes.
 */
export const rateAxis = ({ unit, head, title }: FigureData): { title: string; labelExpr?: string } =>
  unit === '1/s'
    ? { title: head, labelExpr: "datum.value < 1000 ? datum.label : format(datum.value, '~s')" }
    : { title: `${title} (${unit})` };

/**
 * Returns the encodings that distinguish series by colour, dash and symbol, with one legend for all three. The legend's
 * symbols are opaque even if the marks are transparent.
 */
export function seriesEncoding(
  series: readonly LegendSeries[],
  size: ChartSize,
  symbol: 'stroke' | 'circle' = 'stroke',
): { color: object; strokeDash: object; shape?: object } {
  const domain = series.map((s) => s.label);
  const marked = needsShapes(series);
  const columns = size === 'wide' && series.length > 1 ? 2 : 1;
  const legend = {
    title: null,
    orient: 'top',
    offset: 26,
    // A legend with a single entry looks the same with one or two columns. A fixed number per form lets one view switch forms.
    columns: size === 'wide' ? 2 : 1,
    labelExpr: legendText(domain, columns, chartSizes[size].width),
    ...(marked ? {} : { symbolType: symbol }),
    symbolSize: symbol === 'stroke' && !marked ? 700 : 60,
    symbolOpacity: 1,
    symbolStrokeWidth: marked ? 0 : 2.5,
  };
  const of = (range: readonly unknown[], shown: object | null = legend) => bySeries(domain, range, shown);
  return {
    color: of(series.map((s) => s.colour)),
    // Dashes around a symbol would look broken; the names already say which series are emulated.
    strokeDash: of(
      series.map((s) => dashOf(s.medium)),
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

/**
 * Returns a line chart over x with points and interval bands.
 * @param options `rows`: chart data. `y.field`: field of the value. `y.low` and `y.high`: fields of the interval's ends.
 * `extra`: further layers.
 */
export function overX(options: {
  x: XAxisFormat;
  rows: ChartRow[];
  series: readonly LegendSeries[];
  size: ChartSize;
  description: string;
  y: {
    field: string;
    low: string;
    high: string;
    title: string;
    scale: object;
    labelExpr?: string;
    /** Positions of ticks and grid lines; if absent, Vega chooses them. */
    values?: number[];
    format?: string;
  };
  /** True to draw points without lines, for repeated measurements at the same x. */
  pointsOnly?: boolean;
  extra?: object[];
}): ChartSpec {
  const { series, size, y } = options;
  const { rows, lone } = bandRows(options.rows, { low: y.low, high: y.high, stretch: 'stretch' });
  const { width, height, ticks } = chartSizes[size];
  const x = logAxis(
    options.x,
    rows.map((r) => Number(r[options.x.field])),
    ticks,
  );
  const { color, strokeDash, shape } = seriesEncoding(
    series,
    size,
    options.pointsOnly === true ? 'circle' : 'stroke',
  );
  const axis = {
    title: y.title,
    ...titleAbove,
    minExtent: 46,
    ...(y.values === undefined ? { tickCount: 6 } : { values: y.values }),
    ...(y.labelExpr === undefined ? {} : { labelExpr: y.labelExpr }),
    ...(y.format === undefined ? {} : { format: y.format }),
  };
  const yEncoding = { field: y.field, type: 'quantitative', scale: y.scale, axis };
  const drawn = {
    data: { values: rows },
    encoding: { x },
    layer: [
      {
        transform: [{ filter: 'isValid(datum.band)' }],
        mark: { type: 'area', opacity: 0.22, aria: true },
        encoding: {
          y: { ...yEncoding, field: y.low },
          y2: { field: y.high },
          color,
          detail: { field: 'band' },
          description: { field: 'series' },
        },
      },
      ...(options.pointsOnly === true
        ? []
        : [
            {
              mark: { type: 'line', strokeWidth: 1.8, aria: true },
              encoding: {
                y: yEncoding,
                color,
                strokeDash,
                detail: { field: 'stretch' },
                description: { field: 'series' },
              },
            },
          ]),
      {
        mark: {
          type: 'point',
          filled: true,
          size: options.pointsOnly === true ? 30 : shape === undefined ? 22 : 32,
          opacity: options.pointsOnly === true ? 0.7 : 1,
          aria: true,
        },
        encoding: {
          y: yEncoding,
          color,
          ...(shape === undefined ? {} : { shape }),
          description: { field: 'tip' },
        },
      },
      ...(options.pointsOnly === true ? [] : whiskers(lone, yEncoding, y, color)),
      ...(options.extra ?? []),
    ],
  };
  return topLevel(options.description, drawn, { width, height });
}

/** Draws the intervals of single points as whiskers, because an interval band needs two neighbouring points. */
function whiskers(
  values: readonly ChartRow[],
  yEncoding: object,
  { low, high }: { low: string; high: string },
  color: object,
): object[] {
  if (values.length === 0) return [];
  return [
    {
      data: { values },
      mark: { type: 'rule', strokeWidth: 1.2, aria: true },
      encoding: {
        y: { ...yEncoding, field: low },
        y2: { field: high },
        color,
        description: { field: 'series' },
      },
    },
  ];
}

/** Draws a horizontal line at `value` with its text above the left end. @param dash lengths of dash and gap in pixels */
export function ruleAt(value: number, text: string, dash: number[] = [2, 3]): object[] {
  const y = { datum: value, type: 'quantitative' };
  return [
    {
      data: { values: [{}] },
      mark: { type: 'rule', color: ink.soft, strokeDash: dash, aria: false },
      encoding: { y, x: { value: 0 }, x2: { value: 'width' } },
    },
    {
      data: { values: [{}] },
      mark: {
        type: 'text',
        align: 'left',
        baseline: 'bottom',
        dx: 4,
        dy: -3,
        fontSize: 11,
        color: ink.soft,
        text,
        aria: false,
        ...textHalo,
      },
      encoding: { y, x: { value: 0 } },
    },
  ];
}
