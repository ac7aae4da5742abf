// @ts-expect-error Vega's types leave it out.
import { textMetrics as untyped } from 'vega';

export { parse, View } from 'vega';
export { compile } from 'vega-lite';

/**
 * Vega's function that estimates the width of a text in pixels. It may be replaced by one that measures the text with a real font.
 */
export const textMetrics: {
  width(item: { fontSize?: number; fontWeight?: string | number }, text: unknown): number;
} = untyped;
