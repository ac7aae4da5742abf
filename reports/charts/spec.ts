import { chartConfig, ink } from '../theme.ts';

/** A Vega-Lite specification. Vega-Lite's own type is too narrow for specifications that are assembled from parts. */
export type ChartSpec = object;

/**
 * Returns a specification with the properties that every chart has: schema, padding and configuration.
 * @param size size of the plot in pixels; absent sides are chosen by Vega
 */
export const topLevel = (
  description: string,
  drawn: object,
  size: { width?: number; height?: number } = {},
): ChartSpec => ({
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  description,
  ...size,
  padding: 5,
  config: chartConfig,
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
 * Returns the encoding that distinguishes series: series name `domain[i]` is drawn with `range[i]`, a colour, dash or symbol.
 * @param legend null = no legend
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
