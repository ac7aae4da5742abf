// @ts-expect-error Vega's types leave it out.
import { textMetrics as untyped } from 'vega';

export { parse, View } from 'vega';
export { compile } from 'vega-lite';

/** Vega's functions that estimate the size of texts. `width` returns pixels and may be replaced, to measure with a real font. */
export const textMetrics: {
  width(item: { fontSize?: number; fontWeight?: string | number }, text: unknown): number;
} = untyped;
