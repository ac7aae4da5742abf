// Half of all code of the command line. It is bundled apart (bin/bundle.mjs), so that commands without figures do not load it.
export { parse, View } from 'vega';
export { compile } from 'vega-lite';
