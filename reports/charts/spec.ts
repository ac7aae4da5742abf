import { chartConfig, ink } from '../theme.ts';

/** A Vega-Lite specification. Vega-Lite's own type is too narrow for specifications that are assembled from parts. */
export type ChartSpec = object;

/** Label of a series, and a shorter one for legends with little room. `shortLabel` is absent if the label itself is short. */
export interface LegendLabel {
  label: string;
  shortLabel?: string;
}

/**
 * How a chart is drawn for one kind of output, screen or paper: size, fonts, line widths and legend. screen-forms.ts has the forms
 * for pages, figures/print-form.ts those for paper. Lengths are in pixels, or on paper in points.
 */
export interface ChartForm {
  /** Width of the plot; on paper the width of the whole drawing, with axis labels. */
  width: number;
  /** Width and height as properties of the Vega-Lite specification. */
  size: object;
  padding: number;
  /** Vega-Lite `config`: fonts, colours, axes. */
  config: object;
  /** Approximate number of labels on a logarithmic x axis, and of ticks on a linear y axis. */
  ticks: { x: number; y: number };
  /** Vega-Lite properties of the x axis and of the y axis that this form adds to those of the chart. */
  xAxis: object;
  yAxis: object;
  /** Widths of lines (`line`) and of the vertical lines that show intervals (`whisker`). */
  line: number;
  whisker: number;
  /** Returns mark properties of points. @param isSymbol true if symbols distinguish the series */
  point(isSymbol: boolean): object;
  /** Mark properties of horizontal lines (`rule`) and of the texts at these lines (`ruleText`). */
  rule: object;
  ruleText: object;
  /** Converts the lengths of a dash pattern from pixels to the unit of this form. */
  dash(pattern: readonly number[]): number[];
  /**
   * Returns properties of the legend for the given series; the property is null if the drawing has no legend.
   * @param symbol symbol of every entry; null = each series' own symbol
   */
  legend: ((series: readonly LegendLabel[], symbol: LegendSymbol | null) => ChartLegend) | null;
}
export type LegendSymbol = 'stroke' | 'circle' | 'square';
export type ChartLegend = Record<string, unknown> & { columns: number };

/**
 * Returns a specification with the properties that every chart has (schema, description, size, padding, configuration) and those of
 * `drawn`. If both have a property of the same name, that of `drawn` is used.
 * @param description text for screen readers
 * @param drawn data, marks and encodings of the chart
 * @param size size of the plot in pixels; Vega chooses width or height if absent
 * @param style padding and configuration; default: those of charts in pages
 */
export const topLevel = (
  description: string,
  drawn: object,
  size: object = {},
  style: Pick<ChartForm, 'padding' | 'config'> = { padding: 5, config: chartConfig },
): ChartSpec => ({
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  description,
  ...size,
  padding: style.padding,
  config: style.config,
  ...drawn,
});

/** Properties that put an axis title above the upper end of the axis, where it takes no width. */
export const titleAbove = {
  titleAnchor: 'start',
  titleAngle: 0,
  titleAlign: 'left',
  titleY: -10,
  titleX: 0,
};

/**
 * Returns the encoding that distinguishes series: the series with the name `domain[i]` is drawn with `range[i]`, a colour, dash or
 * symbol.
 * @param legend properties of the legend; null = no legend
 */
export const bySeries = (
  domain: readonly string[],
  range: readonly unknown[],
  legend: object | null,
): object => ({
  field: 'series',
  type: 'nominal',
  sort: null,
  scale: { domain, range },
  legend,
});

/** Paper-coloured outline of a text mark, so that the text is readable over a line. */
export const textHalo = { stroke: ink.paper, strokeWidth: 3, strokeJoin: 'round' } as const;
