// Line charts of one operation over x: one panel per rank count, one line per series, intervals as bands.

import { bandRows } from '../charts/bands.ts';
import type { ChartRow } from '../charts/index.ts';
import { logAxis } from '../charts/over-x.ts';
import { type ChartSpec, textHalo, topLevel } from '../charts/spec.ts';
import type { Series, SeriesGroup } from '../series.ts';
import { ink } from '../theme.ts';
import { capitalise } from '../wording.ts';
import { chartStyles, fixedSize, legendOf, widthOf } from './chart-styles.ts';
import type { FigurePanels } from './paper.ts';
import type { TextMeasure } from './pdf.ts';
import type { FigureTheme, PaperColumns } from './theme.ts';

export interface CurvePanel {
  /** Title above the panel: "3 ranks"; empty if the figure has one panel. */
  title: string;
  group: SeriesGroup;
  /**
   * Data of the panel, with the fields `x`, `value`, `low` and `high` (interval), `series`, and `stretch` (key of an unbroken
   * line).
   */
  rows: ChartRow[];
}

export interface CurveFigure {
  panels: CurvePanel[];
  /** All series of the figure, for the legend. */
  series: readonly Series[];
  /** Title of the vertical axis with its unit: "Bus bandwidth (GB/s)". */
  title: string;
  isLogarithmic: boolean;
  rules: { value: number; text: string }[];
}

const labels: Record<PaperColumns, number> = { one: 5, two: 11 };
/** Maximum number of panels side by side, for figures that span one or two page columns. */
const maxAcross: Record<PaperColumns, number> = { one: 1, two: 3 };

const unitWords = { B: ' (bytes)', ns: ' (ns)', '%': ' (%)', '': '' } as const;

/** Returns the panels of a line chart. All panels have the same vertical axis, so that readers can compare them. */
export function curvePanels(
  curves: CurveFigure,
  theme: FigureTheme,
  columns: PaperColumns,
  measure: TextMeasure,
): FigurePanels {
  const { panels, series } = curves;
  const names = series.map(({ label }) => label);
  const legend = legendOf(names, theme, columns, measure, {
    symbolSize: 3 * theme.point,
    symbolStrokeWidth: 0,
  });
  const [only] = panels;
  if (only !== undefined && panels.length === 1) {
    const rows = legendRows(legend, names);
    const height = widthOf(theme, columns) * theme.height[columns] + (rows - 1) * 1.4 * theme.fontSize;
    const size = fixedSize(theme, columns, height);
    return {
      legend: null,
      specs: [panelSpec(curves, only, theme, columns, measure, legend, size)],
      across: 1,
    };
  }
  const across = Math.min(panels.length, maxAcross[columns]);
  const width = widthOf(theme, columns) / across;
  const least = measure(curves.title, theme.fontSize) + 5 * theme.fontSize;
  const height = Math.max(0.42 * width, least);
  const size = { width, height, autosize: { type: 'fit', contains: 'padding' } };
  return {
    legend: legendSpec(series, theme, columns, legend),
    specs: panels.map((panel) => panelSpec(curves, panel, theme, columns, measure, null, size, across)),
    across,
  };
}

function panelSpec(
  curves: CurveFigure,
  { group, rows: given, title: panelTitle }: CurvePanel,
  theme: FigureTheme,
  columns: PaperColumns,
  measure: TextMeasure,
  legend: object | null,
  size: object,
  across = 1,
): ChartSpec {
  const { title, rules, isLogarithmic, panels } = curves;
  const all = panels.flatMap(({ rows }) => rows);
  const { rows, lone } = bandRows(given, { low: 'low', high: 'high', stretch: 'stretch' });
  const { x } = group;
  const { axis, ...along } = logAxis(
    { ...x, field: 'x' },
    all.map((row) => Number(row.x)),
    Math.max(3, Math.floor(labels[columns] / across)),
  ) as { axis: object };
  const looks = chartStyles(curves.series, theme, legend);
  const domain = isLogarithmic ? decadesOf(all, rules) : [0, topOfRates(all, rules)];
  const scale = isLogarithmic ? { type: 'log', nice: false, domain } : { zero: true, domain, nice: true };
  const y = {
    field: 'value',
    type: 'quantitative',
    scale: { ...scale, clamp: true },
    axis: isLogarithmic
      ? { title, values: decadeTicks(all, rules), format: ',~r', grid: true }
      : { title, tickCount: 5, format: ',~r', grid: true },
  };
  const { color, strokeDash, shape } = looks;
  const drawn = {
    ...(panelTitle === ''
      ? {}
      : {
          title: panelTitleOf(panelTitle, theme),
        }),
    data: { values: rows },
    encoding: {
      x: {
        ...along,
        axis: {
          ...axis,
          title: `${capitalise(x.title)}${unitWords[x.unit ?? '']}`,
          labelAngle: 0,
          labelFlush: true,
        },
      },
    },
    layer: [
      {
        transform: [{ filter: 'isValid(datum.band)' }],
        mark: { type: 'area', opacity: 0.25, clip: true },
        encoding: { y: { ...y, field: 'low' }, y2: { field: 'high' }, color, detail: { field: 'band' } },
      },
      ...(lone.length === 0
        ? []
        : [
            {
              data: { values: lone },
              mark: { type: 'rule', strokeWidth: theme.line * 0.8, clip: true },
              encoding: { y: { ...y, field: 'low' }, y2: { field: 'high' }, color },
            },
          ]),
      {
        mark: { type: 'line', strokeWidth: theme.line, clip: true },
        encoding: { y, color, strokeDash, detail: { field: 'stretch' } },
      },
      {
        // A white edge separates symbols that overlap.
        mark: {
          type: 'point',
          filled: true,
          opacity: 1,
          size: theme.point,
          stroke: ink.paper,
          strokeWidth: theme.line / 2,
        },
        encoding: { y, color, shape },
      },
      ...rules.flatMap((rule) => ruleAt(shortened(rule, theme, columns, measure, across), theme)),
    ],
  };
  return withConfig(topLevel(title, drawn, {}), theme, size);
}

export const panelTitleOf = (text: string, { fontSize }: FigureTheme): object => ({
  text,
  anchor: 'start',
  frame: 'group',
  fontSize,
  fontWeight: 'bold',
  offset: fontSize / 4,
});

/**
 * Returns the upper end of a rate's axis. It is at most 1.5 times the highest value; intervals that reach further are cut,
 * because otherwise all lines would look flat.
 */
const topOfRates = (rows: readonly ChartRow[], rules: CurveFigure['rules']): number => {
  const values = valuesOf(rows, rules);
  const ends = rows.flatMap(({ high }) => (typeof high === 'number' ? [high] : []));
  const most = Math.max(...values);
  return Math.min(Math.max(most, ...ends), 1.5 * most);
};

/** Returns the number of text lines that a legend with these names takes. */
const legendRows = (legend: object, names: readonly string[]): number =>
  Math.ceil(names.length / Number((legend as { columns: number }).columns));

/**
 * Returns a specification that draws only the legend, as wide as all panels together.
 * @param isFilled true = symbols of bars, false = symbols of lines
 */
export function legendSpec(
  series: readonly Series[],
  theme: FigureTheme,
  columns: PaperColumns,
  legend: object,
  isFilled = false,
): ChartSpec {
  const { color, strokeDash, shape, fill } = chartStyles(series, theme, legend);
  const drawn = {
    data: { values: series.map(({ label }) => ({ series: label })) },
    mark: isFilled ? { type: 'bar', opacity: 0 } : { type: 'point', filled: true, opacity: 0 },
    encoding: isFilled
      ? { fill, stroke: color, strokeDash }
      : { color, shape, x: { value: 0 }, y: { value: 0 } },
  };
  const rows = legendRows(
    legend,
    series.map(({ label }) => label),
  );
  const height = rows * 1.45 * theme.fontSize + theme.fontSize;
  return withConfig(topLevel('Legend', drawn, {}), theme, fixedSize(theme, columns, height));
}

/** Returns a chart specification made for HTML pages with the configuration and size of a print theme. */
export const withConfig = (spec: ChartSpec, { config }: FigureTheme, size: object): ChartSpec => {
  const { padding: _page, ...rest } = spec as Record<string, unknown>;
  const { padding, ...own } = config;
  return { ...rest, ...size, padding: padding as number, config: own };
};

/**
 * Returns a horizontal line with a shorter text if its text would cross the curves: the part before the last ": " is cut,
 * because the caption has it.
 * @param across number of panels side by side
 */
function shortened(
  { value, text }: CurveFigure['rules'][number],
  theme: FigureTheme,
  columns: PaperColumns,
  measure: TextMeasure,
  across: number,
): CurveFigure['rules'][number] {
  const isLong = measure(text, theme.smallSize) > (0.4 * widthOf(theme, columns)) / across;
  return { value, text: isLong ? text.slice(text.lastIndexOf(': ') + 1).trim() : text };
}

function ruleAt(
  { value, text }: { value: number; text: string },
  { smallSize, line }: FigureTheme,
): object[] {
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
        ...textHalo,
      },
      encoding: { y, x: { value: 0 } },
    },
  ];
}

const valuesOf = (rows: readonly ChartRow[], rules: CurveFigure['rules']): number[] =>
  [...rows.map((row) => Number(row.value)), ...rules.map(({ value }) => value)].filter((one) => one > 0);

function decadeTicks(rows: readonly ChartRow[], rules: CurveFigure['rules']): number[] {
  const logs = valuesOf(rows, rules).map(Math.log10);
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  return Array.from({ length: Math.max(1, high - low) + 1 }, (_, i) => 10 ** (low + i));
}

const decadesOf = (rows: readonly ChartRow[], rules: CurveFigure['rules']): number[] => {
  const ticks = decadeTicks(rows, rules);
  return [ticks[0] ?? 1, ticks.at(-1) ?? 10];
};
