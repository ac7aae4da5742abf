// Half of all code of the command line. It is bundled apart (bin/bundle.mjs), so that commands without figures do not load it.
// @ts-expect-error Vega's types leave it out.
import { textMetrics as untyped } from 'vega';

export { parse, View } from 'vega';
export { compile } from 'vega-lite';

/** How wide Vega takes texts to be. */
export const textMetrics: {
  width(item: { fontSize?: number; fontWeight?: string | number }, text: unknown): number;
} = untyped;
