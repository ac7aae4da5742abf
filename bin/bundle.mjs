// Joins what the command line loads into one file, dist/app: to find and read hundreds of modules took longer than most
// commands. What a command does not need stays text: each module is run when it is first asked for.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { parts, root, writeAtomically } from './current.cjs';

const file = parts.typescript.output;
const out = dirname(file);

const { outputFiles } = await build({
  entryPoints: [join(root, 'dist/bin/collbench.js')],
  outfile: file,
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
  // ssh2 has parts compiled where it is installed.
  external: ['ssh2'],
  // Its form for Node waits for a package that draws pixels, which nobody asks for.
  alias: { 'vega-canvas': join(root, 'node_modules/vega-canvas/build/vega-canvas.browser.js') },
  logLevel: 'warning',
});
mkdirSync(out, { recursive: true });
for (const name of readdirSync(out)) if (name !== basename(file)) rmSync(join(out, name));
writeAtomically(file, outputFiles[0].contents);
