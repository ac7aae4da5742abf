// @ts-expect-error Vega's types leave it out.
import { textMetrics as untyped } from 'vega';

export { parse, View } from 'vega';
export { compile } from 'vega-lite';

/** Vega's functions for the size of texts; `width` returns pixels and can be replaced. */
export const textMetrics: {
  width(item: { fontSize?: number; fontWeight?: string | number }, text: unknown): number;
} = untyped;
