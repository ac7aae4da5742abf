// Whether packages and builds fit their sources. Asked at every start, so it must cost little: CommonJS, no packages, and
// where nothing changed no folder is read.
'use strict';

const {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');

const root = dirname(realpathSync(__dirname));
const isCheckout = existsSync(join(root, 'tsconfig.json'));

const readText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

function writeAtomically(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

const tab = '\t';

const lenient = { throwIfNoEntry: false };

/** Path, size and change time of a file; of a folder path and time, which changes with the names in it. */
function stampOf(path) {
  // Asked of every source at every start: join() would take as long as the file system.
  const found = statSync(`${root}/${path}`, lenient);
  if (found === undefined) return `${path}${tab}none`;
  if (found.isDirectory()) return `${path}${tab}folder${tab}${found.mtimeMs}`;
  return `${path}${tab}${found.size}${tab}${found.mtimeMs}`;
}

/** Stamps of every wanted file below the folders, and of the folders. */
function inventory(folders, wanted, skipped) {
  const lines = [];
  const visit = (path) => {
    lines.push(stampOf(path));
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) visit(child);
      } else if (wanted.test(entry.name)) {
        lines.push(stampOf(child));
      }
    }
  };
  for (const folder of folders) if (existsSync(join(root, folder))) visit(folder);
  return lines.sort();
}

const skippedFolders = new Set(['node_modules', 'tests', 'fake', 'build', '.git']);

/** What is built of what: `stamp` keeps the inputs that `output` was built of. */
const parts = {
  packages: {
    label: 'npm packages',
    stamp: join(root, 'build/stamps/packages'),
    heading: () => '',
    inputs: () => [stampOf('package-lock.json')],
    output: join(root, 'node_modules/.package-lock.json'),
  },
  typescript: {
    label: 'TypeScript',
    stamp: join(root, 'build/stamps/typescript'),
    heading: () => '',
    inputs: () => [
      ...['tsconfig.json', 'package-lock.json', 'bin/bundle.mjs'].map(stampOf),
      ...inventory(
        ['bin', 'suites', 'orchestration', 'results', 'reports', 'native/addon'],
        /\.ts$/,
        skippedFolders,
      ),
      ...inventory(['tests'], /\.ts$/, new Set()),
    ],
    output: join(root, 'dist/app/collbench.cjs'),
  },
  native: {
    label: 'native code',
    stamp: join(root, 'build/stamps/native'),
    // Which compiler was asked for counts as well.
    heading: () => `CXX=${process.env.CXX ?? ''} node_modules=${existsSync(join(root, 'node_modules'))}`,
    inputs: () =>
      inventory(['native', 'third_party'], /\.(cc|h|hpp|c|txt|cmake|in|map|def)$/, skippedFolders),
    output: join(root, 'build/native/collbench-built'),
  },
};

const textOf = (part) => [part.heading(), ...part.inputs()].join('\n');

/** The files alone: a folder may change its time without a wanted file, by the swap file of an editor. */
const filesOf = (text) => text.split('\n').filter((line) => line.split(tab)[1] !== 'folder');

/** Every path that was noted has its stamp still. */
function isUnchanged(part, noted) {
  const [heading, ...lines] = noted.split('\n');
  return (
    heading === part.heading() && lines.every((line) => stampOf(line.slice(0, line.indexOf(tab))) === line)
  );
}

/** Whether `output` was built of what is there now. */
function isCurrent(part, { stamp, output } = part) {
  if (!existsSync(output)) return false;
  const noted = readText(stamp);
  if (noted === '') return false;
  if (isUnchanged(part, noted)) return true;
  const now = textOf(part);
  if (filesOf(now).join() !== filesOf(noted).join()) return false;
  try {
    writeAtomically(stamp, now);
  } catch {
    // A folder that may only be read is looked through at each start.
  }
  return true;
}

module.exports = { filesOf, isCheckout, isCurrent, parts, readText, root, textOf, writeAtomically };
