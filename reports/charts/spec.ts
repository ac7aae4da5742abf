import { chartConfig, ink } from '../theme.ts';

/** A Vega-Lite specification. Its own type is too narrow for specifications that are put together from parts. */
export type ChartSpec = object;

/** What every specification begins with. @param size of the plot, where it has one */
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

/** An axis has its title over its upper end, where it takes no width. */
export const titleAbove = {
  titleAnchor: 'start',
  titleAngle: 0,
  titleAlign: 'left',
  titleY: -10,
  titleX: 0,
};

/** What tells series apart, in the order of `domain`. */
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

/** Paper around the letters of a text mark, so that it can be read where a line runs behind it. */
export const textHalo = { stroke: ink.paper, strokeWidth: 3, strokeJoin: 'round' } as const;
