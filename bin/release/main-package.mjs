// The package that users install: the command and the public API, each bundled into one file with the packages that it uses.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from '../bundle.mjs';
import { root } from '../current.cjs';
import { pack } from './pack.mjs';
import { publicTypes } from './types.mjs';

/** npm packages with headers that are needed to compile the native code on machines without a prebuilt package. */
const headers = ['node-addon-api', 'node-api-headers'];

/** CPU architectures, as Node names them, for which prebuilt native code is published. */
export const architectures = ['x64', 'arm64'];

/** Files and folders of the checkout that the npm package contains, under the same paths; `isShipped` filters folders. */
const shipped = [
  ...['collbench', 'app.cjs', 'current.cjs', 'drawing.cjs', 'setup.mjs', 'start.cjs'].map(
    (name) => `bin/${name}`,
  ),
  ...['dist/app', 'dist/fonts', 'native', 'third_party', 'suites/library', 'results/reference'],
  ...['README.md', 'LICENSE', 'CHANGELOG.md'],
];

const isShipped = (path) =>
  !/\/(?:tests|fake|doctest)(?:\/|$)|\.test\.ts$|\.compiled$/.test(path) &&
  (!path.startsWith('results/reference/') ||
    /reference\/[^/.]+(?:\/(?:run\.json|cells\.ndjson))?$/.test(path));

function manifestOf({
  name,
  version,
  description,
  license,
  type,
  bin,
  engines,
  dependencies,
  optionalDependencies,
}) {
  return {
    ...{ name, version, description, license, type, bin, engines, os: ['linux'] },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies: Object.fromEntries(headers.map((one) => [one, dependencies[one]])),
    optionalDependencies: Object.fromEntries(
      architectures.map((one) => [`@collbench/linux-${one}`, version]),
    ),
    // Packages that write PDF and PNG; users install them if needed.
    peerDependencies: optionalDependencies,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(optionalDependencies).map((one) => [one, { optional: true }]),
    ),
  };
}

/** Sets file modes, so that they do not depend on the builder's umask. */
function setModes(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isFolder = statSync(path).isDirectory();
    chmodSync(path, isFolder || path.endsWith('bin/collbench') ? 0o755 : 0o644);
    if (isFolder) setModes(path);
  }
}

/**
 * Builds the main npm package from the files in dist, which must be compiled already.
 * @returns path of the tarball
 */
export async function buildMainPackage(outputFolder) {
  const folder = mkdtempSync(join(tmpdir(), 'collbench-release-'));
  try {
    await layOut(folder);
    mkdirSync(outputFolder, { recursive: true });
    setModes(folder);
    return pack(folder, outputFolder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function layOut(folder) {
  for (const path of shipped) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    const filter = (from) => isShipped(from.slice(root.length + 1));
    cpSync(join(root, path), to, { recursive: true, filter });
  }
  const entry = join(root, 'dist/orchestration/in-process/index.js');
  writeFileSync(join(folder, 'dist/index.js'), (await bundle(entry, { format: 'esm' })).text);
  writeFileSync(join(folder, 'dist/index.d.ts'), publicTypes());
  const manifest = manifestOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
