// Finds out which native code a command line needs, and whether packages and builds are up to date. Every start runs this file,
// so it is cheap: without changes no folder is read.
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
const { createRequire } = require('node:module');
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

/**
 * State of a path as one line of text: size and change time of a file, or change time of a folder, which changes when a file is
 * added or removed. `path` is relative to the folder of collbench.
 */
function stampOf(path) {
  // Every start runs this for every source file, and join() would take as long as the file system.
  const found = statSync(`${root}/${path}`, lenient);
  if (found === undefined) return `${path}${tab}none`;
  if (found.isDirectory()) return `${path}${tab}folder${tab}${found.mtimeMs}`;
  return `${path}${tab}${found.size}${tab}${found.mtimeMs}`;
}

/**
 * States (lines of stampOf) of these folders and the folders in them, and of their files whose names match `wanted`.
 * @param skipped names of folders that are left out
 */
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

const compilerOf = () => `CXX=${process.env.CXX ?? ''}`;
const nativeInputs = () =>
  inventory(['native', 'third_party'], /\.(cc|h|hpp|c|txt|cmake|in|map|def)$/, skippedFolders);

/** TypeScript projects (tsconfig files) to compile: the code for Node, and the script of report pages, which browsers run. */
const projects = ['tsconfig.json', 'reports/html/scripts/dom/tsconfig.json'];

/**
 * Everything that is built or installed before collbench runs: npm packages, TypeScript, native code. The file `output` exists if
 * the part was built; the file `stamp` has the state of all inputs at that time.
 */
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
      ...[...projects, 'package-lock.json', 'bin/bundle.mjs'].map(stampOf),
      ...inventory(['bin', 'suites', 'orchestration', 'results', 'reports'], /\.ts$/, skippedFolders),
      ...inventory(['tests'], /\.ts$/, new Set()),
    ],
    output: join(root, 'dist/app/collbench.cjs'),
  },
  first: {
    label: 'native code of the embedded engine',
    target: 'product-first',
    stamp: join(root, 'build/stamps/native-first'),
    heading: () => compilerOf(),
    inputs: nativeInputs,
    output: join(root, 'build/native/first/collbench-built'),
  },
  native: {
    label: 'native code of all engines',
    target: 'product',
    stamp: join(root, 'build/stamps/native'),
    // The addon is built only if node_modules has its headers.
    heading: () => `${compilerOf()} node_modules=${existsSync(join(root, 'node_modules'))}`,
    inputs: nativeInputs,
    output: join(root, 'build/native/collbench-built'),
  },
};

const textOf = (part) => [part.heading(), ...part.inputs()].join('\n');

/**
 * The lines of an inventory that are about files. Lines about folders are removed, because an editor's swap file changes the
 * time of a folder without changing a source file.
 */
const filesOf = (text) => text.split('\n').filter((line) => line.split(tab)[1] !== 'folder');

/** True if every input file and folder of a part still has the state in `noted`, the text stored when the part was built. */
function isUnchanged(part, noted) {
  const [heading, ...lines] = noted.split('\n');
  return (
    heading === part.heading() && lines.every((line) => stampOf(line.slice(0, line.indexOf(tab))) === line)
  );
}

/** True if a part (npm packages, TypeScript or native code) was built from the present sources and need not be built again. */
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
    // The folder is read-only, so each start has to compare all inputs.
  }
  return true;
}

/**
 * Commands that use only the cpu engine by default, and suites that use only this engine. They need only the first part of the
 * native code.
 */
const withFirst = [
  'allreduce',
  'allgather',
  'reducescatter',
  'broadcast',
  'reduce',
  'alltoall',
  'alltoallv',
  'gather',
  'scatter',
  'sendrecv',
  'hypercube',
  'pingpong',
  'exchange',
  'put',
  'get',
  'incast',
  'kv',
  'moe',
  'suite smoke',
];
const firstEngine = 'cpu';
const firstTransports = ['socket', 'shm', 'sisci'];

/** Commands that use other engines than cpu, or inspect the hosts for all engines. They need the complete native code. */
const withAll = [
  'device-put',
  'device-get',
  'device-p',
  'device-g',
  'device-fetch-add',
  'device-signal',
  'stencil',
  'controlpath',
  'train',
  'replay',
  'script',
  'null',
  'suite',
  'resume',
  'record',
  'aa',
  'crosscheck',
  'doctor',
  'transports',
  'topo',
  'pairs',
  'conformance',
  'plugin',
  'explain',
  'bisect',
  'tune',
];

/** The first option on the line, as typed, that needs more native code than the cpu engine; undefined if there is none. */
function optionBeyondFirst(words) {
  for (const [at, word] of words.entries()) {
    const [name, value = words[at + 1] ?? ''] = word.split('=');
    if (name === '--engine' && value !== firstEngine) return `${name} ${value}`;
    if (name === '--transport' && !value.split(',').every((one) => firstTransports.includes(one)))
      return `${name} ${value}`;
    if (name === '--config' || name === '--in-process') return name;
  }
  return undefined;
}

/** Number of words that a command needs. A line with fewer is refused, so nothing has to be built for it. */
const minWords = {
  aa: 1,
  bisect: 1,
  conformance: 1,
  pairs: 1,
  plugin: 2,
  record: 1,
  resume: 1,
  script: 1,
  suite: 1,
};

/** True if a command line needs no native code although its command usually does: suite --list, record --read, topo FILE. */
function onlyReads([command, ...words]) {
  const has = (...names) => words.some((word) => names.includes(word.split('=')[0]));
  if (command === 'suite') return has('--list');
  if (command === 'record') return has('--read');
  const isFile = words.length > 0 && !words[0].startsWith('-');
  return command === 'topo' && isFile && !has('--hosts', '--hostfile', '--dump');
}

/**
 * Decides which native code a command line needs: returns a key of `parts`, and the word of the line that is the reason. Null
 * if it needs none: help, commands for stored runs, and unknown commands, which are rejected at once.
 */
function nativeNeeds(words) {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const asksHelp = own.some((word) => ['--help', '-h', '--version'].includes(word));
  const isIncomplete = words.length - 1 < (minWords[words[0]] || 0);
  if (asksHelp || isIncomplete || onlyReads(own)) return null;
  const command = words[0] === 'suite' ? `suite ${words[1]}` : words[0];
  const usesFirst = withFirst.includes(command);
  // compare is the only command for stored runs that can measure.
  const measuresAgain = command === 'compare' && own.includes('--interleave');
  if (!usesFirst && !measuresAgain && !withAll.includes(words[0])) return null;
  const option = usesFirst ? optionBeyondFirst(words) : command;
  return option === undefined ? { part: 'first', asker: command } : { part: 'native', asker: option };
}

/**
 * Folder of the prebuilt native parts for this machine. npm installs their package beside collbench (optionalDependencies). A
 * checkout always builds its own sources.
 * @returns undefined if no package of this version is installed
 */
function prebuiltFolder() {
  if (isCheckout) return undefined;
  try {
    const find = createRequire(join(root, 'package.json'));
    const manifest = find.resolve(`@collbench/${process.platform}-${process.arch}/package.json`);
    const versionOf = (file) => JSON.parse(readFileSync(file, 'utf8')).version;
    return versionOf(manifest) === versionOf(join(root, 'package.json')) ? dirname(manifest) : undefined;
  } catch {
    return undefined;
  }
}

module.exports = {
  filesOf,
  isCheckout,
  isCurrent,
  nativeNeeds,
  parts,
  prebuiltFolder,
  projects,
  readText,
  root,
  textOf,
  withAll,
  withFirst,
  writeAtomically,
};
