// Joins what the command line loads into few files, dist/app: to find and read hundreds of modules took longer than
// most commands. Names of chunks tell their content, so a command that still runs finds its own after a rebuild.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist/app');
const keptMs = 24 * 3600e3;

await build({
  entryPoints: [join(root, 'dist/bin/collbench.js')],
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // ssh2 has parts compiled where it is installed; canvas is vega's for pixels, which nobody asks for.
  external: ['ssh2', 'canvas'],
  banner: {
    // CommonJS packages ask for parts of Node by require.
    js: "import { createRequire as createRequireOfApp } from 'node:module';const require = createRequireOfApp(import.meta.url);",
  },
  logLevel: 'warning',
});
for (const name of readdirSync(out)) {
  const file = join(out, name);
  if (Date.now() - statSync(file).mtimeMs > keptMs) rmSync(file);
}
