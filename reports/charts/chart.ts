import type { TopLevelSpec } from 'vega-lite';
import { trialOf } from '../../results/schema/index.ts';
import { importedTime, isImported } from '../imported.ts';
import { chartedRow, derivedRows, fieldOf, figureText, type XWords } from '../rows.ts';
import { figureOf, type Group, isOk, onDevice, rateOf, type Series } from '../series.ts';
import { type ChartSize, chartConfig, chartSizes, dashOf, ink } from '../theme.ts';
import { chosenText, formatPercent, formatTime, halfWidth } from '../wording.ts';

/** One value of a chart's data; `null` and text as CSV writes them. */
export type Row = Record<string, string | number | null>;

/** What a chart shows, complete: what it is called, the words under it, its data and how it is drawn. */
export interface Figure {
  /** File name without ending: "allreduce-float32-sum-out-busbw". */
  name: string;
  title: string;
  caption: string;
  /** Numbers of the chart in full precision with the unit in the name; also the CSV beside it. */
  rows: Row[];
  /** Too many rows for a table in the page: they are in the CSV alone. */
  hasLongTable?: boolean;
  spec(size: ChartSize): TopLevelSpec;
}

/** A chart of one group (reports/charts/index.ts), or `null` where the group has nothing to show in it. */
export interface GroupChart {
  id: string;
  draw(group: Group): Figure | null;
}

/** One measured point of a series. */
export interface Point {
  series: Series;
  timeNs: number;
  lowNs: number | null;
  highNs: number | null;
  /** Derived figures by name. */
  rates: Readonly<Record<string, number | null>>;
  /** As charts and CSV files want it. */
  row: Row;
}

/** Points of a group in order; those at x = 0 are left out because a log axis has no place for it. */
export function pointsOf(group: Group): Point[] {
  const { row, x } = group;
  const derived = derivedRows(row);
  const charted = chartedRow(row);
  return group.series.flatMap((series) => {
    let stretch = 0;
    let choice: string | null = null;
    return series.slots.flatMap(({ cell, x: at }): Point[] => {
      const figure = figureOf(cell, group);
      if (figure === null || at === 0 || !isOk(cell)) {
        stretch++;
        return [];
      }
      const chosen = chosenText(cell.choice);
      if (choice !== null && choice !== chosen) stretch++;
      choice = chosen;
      const { interval, value: timeNs } = figure;
      const [lowNs, highNs] = [interval?.low ?? null, interval?.high ?? null];
      const rates = Object.fromEntries(derived.map(({ name }) => [name, rateOf(cell, group, name)]));
      const spread = interval === null ? '' : ` ±${formatPercent(halfWidth(timeNs, interval))}`;
      const rate = charted === undefined ? null : (rates[charted.name] ?? null);
      const rated =
        charted === undefined || rate === null ? '' : `, ${charted.title} ${figureText(charted.unit, rate)}`;
      return [
        {
          series,
          timeNs,
          lowNs,
          highNs,
          rates,
          row: {
            series: series.label,
            transport: series.transport,
            medium: series.medium,
            [x.field]: at,
            timeNs,
            lowNs,
            highNs,
            ...Object.fromEntries(derived.map((one) => [fieldOf(one), rates[one.name] ?? null])),
            // Points of one unbroken stretch of line share it: no hole between them, one algorithm and protocol.
            stretch: `${series.key}#${stretch}`,
            tip: `${series.name}, ${x.text(at)}: ${formatTime(timeNs, 'µs')}${spread}${rated}`,
          },
        },
      ];
    });
  });
}

/** The columns of a point that belong into a CSV. */
export function withoutDrawing(rows: readonly Row[]): Row[] {
  return rows.map(({ stretch: _stretch, tip: _tip, ...rest }) => rest);
}

export function trialPhrase(group: Group): string {
  if (isImported(group)) return `time (${importedTime(group)})`;
  if (trialOf(group.row, group.figure) !== 'isolated') return 'median interval of pipelined operations';
  return onDevice(group)
    ? 'median latency of one operation on the GPUs'
    : 'median time of one isolated operation';
}

/** What the captions of all line charts end in. */
export function readingHint(group: Group): string {
  const emulated = group.series.some((s) => s.medium === 'emulated')
    ? ' Dashed lines are emulated: they say nothing about the real adapter.'
    : '';
  const switches = group.series.some(
    (s) => new Set(s.slots.flatMap((x) => (isOk(x.cell) ? [chosenText(x.cell.choice)] : []))).size > 1,
  );
  const broken = switches ? ' Lines break where the algorithm or protocol changes.' : '';
  const bands = isImported(group)
    ? 'There are no intervals: no samples were told.'
    : 'Bands are 95 % intervals.';
  return `${bands}${broken}${emulated}`;
}

/** Log axis with labels such as 4 KiB at as many powers of two, or of ten, as there is room for. */
export function logAxis(
  { base, field, title, text }: XWords,
  values: readonly number[],
  ticks: number,
): object {
  const logs = values.map(base === 2 ? Math.log2 : Math.log10);
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const step = Math.max(1, Math.ceil((high - low) / ticks));
  const marks: number[] = [];
  for (let k = low; k <= high; k += step) marks.push(base ** k);
  const labels = Object.fromEntries(marks.map((v) => [String(v), text(v)]));
  return {
    field,
    type: 'quantitative',
    scale: {
      type: 'log',
      base,
      domain: [Math.min(...values), Math.max(...values) * (low === high ? base : 1)],
      nice: false,
    },
    axis: {
      title,
      values: marks,
      labelExpr: `(${JSON.stringify(labels)})[datum.value]`,
      labelAngle: ticks < 8 ? -45 : 0,
      labelOverlap: false,
      grid: false,
    },
  };
}

/** Pixels of a letter as Vega reckons without a canvas (0.8 of its height), and the letters that a legend's symbol takes. */
const letterWidth = 0.8 * 12;
const symbolLetters = 4;

/** Names of a legend by line: broken only where it would be wider than the plot, which shrinks a chart. */
function brokenLabels(labels: readonly string[], columns: number, width: number): [string, string[]][] {
  const letters = Math.floor(width / letterWidth) - columns * symbolLetters;
  const widest = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...labels.filter((_label, i) => i % columns === column).map(({ length }) => length)),
  );
  const isFine = widest.reduce((sum, one) => sum + one, 0) <= letters;
  return labels.map((label) => [label, isFine ? [label] : linesOf(label, Math.floor(letters / columns))]);
}

/** Broken where words or options end. */
function linesOf(label: string, width: number): string[] {
  const lines = [''];
  for (const part of label.split(/(?<=[ ,])/)) {
    const line = lines.at(-1) as string;
    if (line !== '' && line.length + part.trimEnd().length > width) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line) => line.trimEnd());
}

/** What legends need of a series. */
export type DrawnSeries = Pick<Series, 'label' | 'colour' | 'shape'> & { medium: string };

/** One legend for colour and dash; symbols are drawn opaque whatever the marks are. */
export function seriesEncoding(
  series: readonly DrawnSeries[],
  size: ChartSize,
  symbol: 'stroke' | 'circle' = 'stroke',
): { color: object; strokeDash: object; shape?: object } {
  const domain = series.map((s) => s.label);
  const marked = needsShapes(series);
  const columns = size === 'wide' && series.length > 1 ? 2 : 1;
  const lines = Object.fromEntries(brokenLabels(domain, columns, chartSizes[size].width));
  const legend = {
    title: null,
    orient: 'top',
    offset: 22,
    columns,
    labelExpr: `(${JSON.stringify(lines)})[datum.label]`,
    ...(marked ? {} : { symbolType: symbol }),
    symbolSize: symbol === 'stroke' && !marked ? 700 : 60,
    symbolOpacity: 1,
    symbolStrokeWidth: 2.5,
  };
  return {
    color: {
      field: 'series',
      type: 'nominal',
      sort: null,
      scale: { domain, range: series.map((s) => s.colour) },
      legend,
    },
    strokeDash: {
      field: 'series',
      type: 'nominal',
      sort: null,
      scale: { domain, range: series.map((s) => dashOf(s.medium)) },
      legend,
    },
    ...(marked
      ? {
          shape: {
            field: 'series',
            type: 'nominal',
            sort: null,
            scale: { domain, range: series.map((s) => s.shape) },
            legend,
          },
        }
      : {}),
  };
}

/** With more series than colours the symbols at the points tell them apart. */
function needsShapes(series: readonly DrawnSeries[]): boolean {
  return series.some((s) => s.shape !== 'circle');
}

/** Band, line and points over x. `low` and `high` name the fields of the band. */
export function overX(options: {
  x: XWords;
  rows: Row[];
  series: readonly DrawnSeries[];
  size: ChartSize;
  description: string;
  y: {
    field: string;
    low: string;
    high: string;
    title: string;
    scale: object;
    labelExpr?: string;
    /** Where ticks and grid lines stand; else Vega chooses. */
    values?: number[];
    format?: string;
  };
  /** Points that belong to no line: repeated measurements at the same x. */
  pointsOnly?: boolean;
  extra?: object[];
}): TopLevelSpec {
  const { rows, series, size, y } = options;
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
    titleAnchor: 'start',
    titleAngle: 0,
    titleAlign: 'left',
    titleY: -10,
    titleX: 0,
    minExtent: 46,
    ...(y.values === undefined ? { tickCount: 6 } : { values: y.values }),
    ...(y.labelExpr === undefined ? {} : { labelExpr: y.labelExpr }),
    ...(y.format === undefined ? {} : { format: y.format }),
  };
  const yEncoding = { field: y.field, type: 'quantitative', scale: y.scale, axis };
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    description: options.description,
    width,
    height,
    padding: 5,
    config: chartConfig,
    data: { values: rows },
    encoding: { x },
    layer: [
      {
        transform: [{ filter: `isValid(datum.${y.low}) && isValid(datum.${y.high})` }],
        mark: { type: 'area', opacity: 0.22, aria: false },
        encoding: {
          y: { ...yEncoding, field: y.low },
          y2: { field: y.high },
          color,
          detail: { field: 'stretch' },
        },
      },
      ...(options.pointsOnly === true
        ? []
        : [
            {
              mark: { type: 'line', strokeWidth: 1.8, aria: false },
              encoding: { y: yEncoding, color, strokeDash, detail: { field: 'stretch' } },
            },
          ]),
      {
        mark: {
          type: 'point',
          filled: true,
          size: options.pointsOnly === true ? 30 : shape === undefined ? 22 : 40,
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
      ...(options.extra ?? []),
    ],
  };
  return spec as unknown as TopLevelSpec;
}

/** A horizontal rule with its words, drawn in the same scales. */
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
      },
      encoding: { y, x: { value: 0 } },
    },
  ];
}
