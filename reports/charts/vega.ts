// @ts-expect-error Vega's types leave it out.
import { textMetrics as untyped } from 'vega';

export { parse, View } from 'vega';
export { compile } from 'vega-lite';

/** How wide Vega takes texts to be. */
export const textMetrics: {
  width(item: { fontSize?: number; fontWeight?: string | number }, text: unknown): number;
} = untyped;
