// Joins the modules of the command line into one file, dist/app. Finding and reading hundreds of modules takes longer than most
// commands. Modules are evaluated only when they are first required.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parts, root, writeAtomically } from './current.cjs';

const file = parts.typescript.output;
const out = dirname(file);
const pageScript = 'page.js';
/**
 * Modules that are bundled into files of their own, because few commands need them; they are loaded when first required. Each
 * row has the pattern of the import, the module, and the name of its file next to the app.
 */
const apart = [
  { asks: /\/render\.js$/, module: join(root, 'dist/reports/charts/render.js'), file: 'drawing.cjs' },
  { asks: /^ssh2$/, module: join(root, 'node_modules/ssh2/lib/index.js'), file: 'ssh.cjs' },
];

const keptApart = {
  name: 'kept apart',
  setup({ onResolve }) {
    for (const one of apart)
      onResolve({ filter: one.asks }, ({ resolveDir, path }) =>
        path.startsWith('.') && join(resolveDir, path) !== one.module
          ? null
          : { path: `./${one.file}`, external: true },
      );
  },
};

const asFunction = {
  // The file is one function, which app.cjs calls; V8 can store the compiled code of such a file.
  format: 'cjs',
  banner: {
    js: "(function(exports,require,module,__filename,__dirname){const appUrl=require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
  define: { 'import.meta.url': 'appUrl' },
  supported: { 'dynamic-import': false },
};

/**
 * Bundles a JavaScript module with everything that it imports into one text.
 * @param options settings of esbuild
 * @returns the text, and the folders of the packages in it
 */
export async function bundle(entry, options) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    charset: 'ascii',
    // Users who need PDF and PNG install these packages. ssh2 also works without its compiled modules.
    external: ['@resvg/resvg-js', 'pdfkit', 'svg-to-pdfkit', 'cpu-features', '*.node'],
    alias: {
      // The Node variant of vega-canvas tries to load a package that draws pixels, which is not needed.
      'vega-canvas': join(root, 'node_modules/vega-canvas/build/vega-canvas.browser.js'),
      // yargs, cliui and wrap-ansi use string-width to lay out help.
      'string-width': join(root, 'bin/text-width.mjs'),
    },
    logLevel: 'warning',
    ...options,
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return { text: asciiOf(outputFiles[0].text), packages: [...new Set(packages)] };
}

/**
 * Escapes all characters that are not ASCII, because V8 stores ASCII text with one byte per character. esbuild leaves such
 * characters in regular expressions and tagged templates.
 */
function asciiOf(text) {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(text)) throw new Error('String.raw with other letters than ASCII');
  return text.replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bundles the script of report pages, which browsers run. reports/html/page.ts puts it into each page. */
async function bundlePageScript() {
  const { text } = await bundle(join(root, 'dist/reports/html/scripts/dom/main.js'), {
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minifyIdentifiers: true,
  });
  writeAtomically(join(out, pageScript), text);
}

/** Licence texts of all packages in a bundle; the licences require them to be distributed with it. */
function licencesOf(packages) {
  const texts = packages.sort().map((folder) => {
    const { name, version, ...facts } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const license = facts.license ?? facts.licenses?.map(({ type }) => type).join(', ');
    const found = readdirSync(join(root, folder)).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
    const text = found === undefined ? '' : `\n${readFileSync(join(root, folder, found), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Copies the fonts that figures for print embed; reports/figures/fonts.ts reads them. */
function copyFonts() {
  const to = join(root, 'dist/fonts');
  mkdirSync(to, { recursive: true });
  for (const name of ['arimo', 'stix-two-text']) {
    const from = join(root, 'node_modules/@fontsource', name);
    copyFileSync(join(from, 'LICENSE'), join(to, `${name}-licence.txt`));
    for (const one of ['400-normal.woff2', '400-normal.woff', '700-normal.woff'])
      copyFileSync(join(from, 'files', `${name}-latin-${one}`), join(to, `${name}-latin-${one}`));
  }
}

async function bundleApp() {
  mkdirSync(out, { recursive: true });
  const licences = 'licences.txt';
  const kept = [basename(file), licences, pageScript, ...apart.map((one) => one.file)];
  for (const name of readdirSync(out)) if (!kept.includes(name)) rmSync(join(out, name));
  copyFonts();
  await bundlePageScript();
  const packages = [];
  for (const one of apart) {
    const { text, packages: own } = await bundle(one.module, { ...asFunction, minifyIdentifiers: true });
    packages.push(...own);
    writeAtomically(join(out, one.file), text);
  }
  const { text, packages: own } = await bundle(join(root, 'dist/bin/collbench.js'), {
    ...asFunction,
    plugins: [keptApart],
  });
  writeAtomically(join(out, licences), licencesOf([...new Set([...packages, ...own])]));
  // The app is written last, because its existence means that the build is complete.
  writeAtomically(file, text);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await bundleApp();
