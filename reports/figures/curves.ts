// Figures 5.2 to 5.4: one operation over x, a line for each series, its interval as a band.

import type { Row } from '../charts/index.ts';
import { logAxis } from '../charts/over-x.ts';
import { type ChartSpec, topLevel } from '../charts/spec.ts';
import type { Group } from '../series.ts';
import { capital } from '../wording.ts';
import { legendOf, looksOf, sized, widthOf } from './looks.ts';
import type { Measure } from './pdf.ts';
import type { Columns, Theme } from './theme.ts';

export interface Curves {
  group: Group;
  /** `x`, `value`, `low`, `high`, `series`, `stretch`, `band`. */
  rows: Row[];
  /** With its unit: "Bus bandwidth (GB/s)". */
  title: string;
  isLogarithmic: boolean;
  rules: { value: number; text: string }[];
}

const labels: Record<Columns, number> = { one: 5, two: 11 };

const unitWords = { B: ' (bytes)', ns: ' (ns)', '%': ' (%)', '': '' } as const;

export function curvesSpec(curves: Curves, theme: Theme, columns: Columns, measure: Measure): ChartSpec {
  const { group, rows, title, rules, isLogarithmic } = curves;
  const { x } = group;
  const { axis, ...along } = logAxis(
    { ...x, field: 'x' },
    rows.map((row) => Number(row.x)),
    labels[columns],
  ) as { axis: object };
  const names = group.series.map(({ label }) => label);
  const legend = legendOf(names, theme, columns, measure, {
    symbolSize: 3 * theme.point,
    symbolStrokeWidth: 0,
  });
  const looks = looksOf(group.series, theme, legend);
  const scale = isLogarithmic ? { type: 'log', nice: false, domain: decadesOf(rows, rules) } : { zero: true };
  const y = {
    field: 'value',
    type: 'quantitative',
    scale,
    axis: isLogarithmic
      ? { title, values: decadeTicks(rows, rules), format: ',~r', grid: true }
      : { title, tickCount: 5, format: ',~r', grid: true },
  };
  const { color, strokeDash, shape } = looks;
  const drawn = {
    data: { values: rows },
    encoding: {
      x: {
        ...along,
        axis: {
          ...axis,
          title: `${capital(x.title)}${unitWords[x.unit ?? '']}`,
          labelAngle: 0,
          labelFlush: true,
        },
      },
    },
    layer: [
      {
        transform: [{ filter: 'isValid(datum.low) && isValid(datum.high)' }],
        mark: { type: 'area', opacity: 0.25, clip: true },
        encoding: { y: { ...y, field: 'low' }, y2: { field: 'high' }, color, detail: { field: 'band' } },
      },
      {
        mark: { type: 'line', strokeWidth: theme.line, clip: true },
        encoding: { y, color, strokeDash, detail: { field: 'stretch' } },
      },
      {
        mark: { type: 'point', filled: true, opacity: 1, size: theme.point },
        encoding: { y, color, shape },
      },
      ...rules.flatMap((rule) => ruleAt(shortened(rule, theme, columns, measure), theme)),
    ],
  };
  const height = widthOf(theme, columns) * theme.height[columns];
  return withConfig(topLevel(title, drawn, {}), theme, sized(theme, columns, height));
}

/** Configuration and size in place of those of pages. */
export const withConfig = (spec: ChartSpec, { config }: Theme, size: object): ChartSpec => {
  const { padding: _page, ...rest } = spec as Record<string, unknown>;
  const { padding, ...own } = config;
  return { ...rest, ...size, padding: padding as number, config: own };
};

/** The rate alone where the words would cross the lines; the caption has them. */
function shortened(
  { value, text }: Curves['rules'][number],
  theme: Theme,
  columns: Columns,
  measure: Measure,
): Curves['rules'][number] {
  const isLong = measure(text, theme.smallSize) > 0.4 * widthOf(theme, columns);
  return { value, text: isLong ? text.slice(text.lastIndexOf(': ') + 1).trim() : text };
}

function ruleAt({ value, text }: { value: number; text: string }, { smallSize, line }: Theme): object[] {
  const y = { datum: value, type: 'quantitative' };
  return [
    {
      data: { values: [{}] },
      mark: { type: 'rule', color: '#555555', strokeDash: [line, 2 * line], strokeWidth: line },
      encoding: { y, x: { value: 0 }, x2: { value: 'width' } },
    },
    {
      data: { values: [{}] },
      mark: {
        type: 'text',
        align: 'left',
        baseline: 'top',
        dx: 3,
        dy: 2,
        fontSize: smallSize,
        color: '#333333',
        text,
      },
      encoding: { y, x: { value: 0 } },
    },
  ];
}

const valuesOf = (rows: readonly Row[], rules: Curves['rules']): number[] =>
  [...rows.map((row) => Number(row.value)), ...rules.map(({ value }) => value)].filter((one) => one > 0);

function decadeTicks(rows: readonly Row[], rules: Curves['rules']): number[] {
  const logs = valuesOf(rows, rules).map(Math.log10);
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  return Array.from({ length: Math.max(1, high - low) + 1 }, (_, i) => 10 ** (low + i));
}

const decadesOf = (rows: readonly Row[], rules: Curves['rules']): number[] => {
  const ticks = decadeTicks(rows, rules);
  return [ticks[0] ?? 1, ticks.at(-1) ?? 10];
};
