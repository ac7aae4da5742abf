// Line chart over a logarithmic x axis: interval bands, lines and points, with a legend.
import type { XAxisFormat } from '../rows.ts';
import { ink } from '../theme.ts';
import { bandRows } from './bands.ts';
import type { ChartRow } from './chart.ts';
import { type LegendSeries, seriesEncoding } from './legend.ts';
import { type ChartForm, type ChartSpec, textHalo, topLevel } from './spec.ts';

/**
 * Returns a logarithmic x axis from the lowest to the highest value. About `ticks` labels, such as 4 KiB, are at powers of the
 * base. A single value is drawn in the middle and gets the only label.
 * @param values positive and not empty
 * @param properties further properties of the axis, which replace the usual ones
 */
export function logAxis(
  { base, field, title, text }: XAxisFormat,
  values: readonly number[],
  ticks: number,
  properties: object = {},
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
      ...properties,
    },
  };
}

/**
 * A horizontal line with a text, at `value` on the y axis. `dash`: lengths of dash and gap in pixels; if absent, the line is
 * dotted.
 */
export interface HorizontalRule {
  value: number;
  text: string;
  /** Text that replaces the full text in figures for papers where that is too long; absent = the full text is kept. */
  shortText?: string;
  dash?: readonly number[];
}

/**
 * Returns the specification of a line chart over x with points and interval bands.
 * @param options `rows`: chart data. `xs`: all x values of the charts that share the axis; default: those of `rows`. `series`:
 * series in the order of the legend. `form`: form for screen or paper. `description`: text for screen readers. `y.field`: field of
 * the value. `y.low` and `y.high`: fields of the interval's ends. `rules`: horizontal lines. `extra`: further layers.
 */
export function overX(options: {
  x: XAxisFormat;
  xs?: readonly number[];
  rows: readonly ChartRow[];
  series: readonly LegendSeries[];
  form: ChartForm;
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
  /** True if points are drawn without lines, for repeated measurements at the same x. */
  pointsOnly?: boolean;
  extra?: object[];
  rules?: readonly HorizontalRule[];
}): ChartSpec {
  const { series, form, y, rules = [] } = options;
  const { rows, lone } = bandRows(options.rows, { low: y.low, high: y.high, stretch: 'stretch' });
  const x = logAxis(
    options.x,
    options.xs ?? rows.map((r) => Number(r[options.x.field])),
    form.ticks.x,
    form.xAxis,
  );
  const { color, strokeDash, shape } = seriesEncoding(
    series,
    form,
    options.pointsOnly === true ? 'circle' : 'stroke',
  );
  const axis = {
    title: y.title,
    ...form.yAxis,
    ...(y.values === undefined ? { tickCount: form.ticks.y } : { values: y.values }),
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
              mark: { type: 'line', strokeWidth: form.line, aria: true },
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
          ...(options.pointsOnly === true ? { size: 30 } : form.point(shape !== undefined)),
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
      ...(options.pointsOnly === true ? [] : whiskers(lone, yEncoding, y, color, form)),
      ...(options.extra ?? []),
      ...rules.flatMap((rule) => ruleLayers(rule, form)),
    ],
  };
  return topLevel(options.description, drawn, form.size, form);
}

/**
 * Returns the layer that draws the intervals of points without a neighbour as vertical lines, because a band needs two neighbouring
 * points; no layer if `values` is empty. `low` and `high` are the names of the fields with the ends of the interval.
 * @param values chart rows of these points
 * @param yEncoding encoding of the y axis without a field
 * @param color encoding that colours the lines by series
 */
function whiskers(
  values: readonly ChartRow[],
  yEncoding: object,
  { low, high }: { low: string; high: string },
  color: object,
  { whisker }: ChartForm,
): object[] {
  if (values.length === 0) return [];
  return [
    {
      data: { values },
      mark: { type: 'rule', strokeWidth: whisker, aria: true },
      encoding: {
        y: { ...yEncoding, field: low },
        y2: { field: high },
        color,
        description: { field: 'series' },
      },
    },
  ];
}

/**
 * Returns the Vega-Lite layers of a horizontal line and of its text, which is at the left end of the line.
 * @param form form of the chart, for the line width and the font
 */
function ruleLayers({ value, text, dash = [2, 3] }: HorizontalRule, form: ChartForm): object[] {
  const y = { datum: value, type: 'quantitative' };
  const rule = { type: 'rule', color: ink.soft, strokeDash: form.dash(dash), ...form.rule, aria: false };
  const label = { type: 'text', align: 'left', ...form.ruleText, color: ink.soft, text, aria: false };
  return [
    { data: { values: [{}] }, mark: rule, encoding: { y, x: { value: 0 }, x2: { value: 'width' } } },
    { data: { values: [{}] }, mark: { ...label, ...textHalo }, encoding: { y, x: { value: 0 } } },
  ];
}
