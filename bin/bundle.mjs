// Joins what the command line loads into one file, dist/app: to find and read hundreds of modules took longer than most
// commands. What a command does not need stays text: each module is run when it is first asked for.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { parts, root, writeAtomically } from './current.cjs';

const file = parts.typescript.output;
const out = dirname(file);
/** Loaded when it is first asked for, which few commands do: module, and its file beside the app. */
const apart = { module: join(root, 'dist/reports/charts/render.js'), file: join(out, 'drawing.cjs') };

const keptApart = {
  name: 'kept apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/render\.js$/ }, ({ resolveDir, path }) =>
      join(resolveDir, path) === apart.module ? { path: `./${basename(apart.file)}`, external: true } : null,
    );
  },
};

async function bundled(entry, outfile, { plugins = [], minifyIdentifiers = false } = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile,
    plugins,
    minifyIdentifiers,
    write: false,
    bundle: true,
    // One function, as app.cjs calls it: code of such a file can be kept compiled.
    format: 'cjs',
    banner: {
      js: "(function(exports,require,module,__filename,__dirname){const appUrl=require('node:url').pathToFileURL(__filename).href;",
    },
    footer: { js: '})' },
    define: { 'import.meta.url': 'appUrl' },
    supported: { 'dynamic-import': false },
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    charset: 'ascii',
    // Parts compiled for the machine that they are installed on; what writes PDF reads data files of its own.
    external: ['ssh2', '@resvg/resvg-js', 'pdfkit', 'svg-to-pdfkit'],
    alias: {
      // Its form for Node waits for a package that draws pixels, which nobody asks for.
      'vega-canvas': join(root, 'node_modules/vega-canvas/build/vega-canvas.browser.js'),
      // yargs, cliui and wrap-ansi ask it how wide help is.
      'string-width': join(root, 'bin/text-width.mjs'),
    },
    logLevel: 'warning',
  });
  return asciiOf(outputFiles[0].text);
}

/** Of ASCII alone V8 keeps a byte for each letter. esbuild leaves other letters in expressions and tagged templates. */
function asciiOf(text) {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(text)) throw new Error('String.raw with other letters than ASCII');
  return text.replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

mkdirSync(out, { recursive: true });
const kept = [file, apart.file].map((one) => basename(one));
for (const name of readdirSync(out)) if (!kept.includes(name)) rmSync(join(out, name));
writeAtomically(apart.file, await bundled(apart.module, apart.file, { minifyIdentifiers: true }));
// Last: what is built is current once it is there.
writeAtomically(file, await bundled(join(root, 'dist/bin/collbench.js'), file, { plugins: [keptApart] }));
