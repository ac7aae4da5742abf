// Rejects code that takes a text of collbench apart: regular expressions, `.split(', ')`, `.includes('a b')`, `.startsWith('for ')`.
// A fact that code needs is a field of a record; one formatter makes the text. `node tests/own-texts.mjs` prints each breach and
// exits with 1 if there is one. It cannot see `texts.includes(word)`, because lists have that method, too.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Folders and files that read texts of others or a stored format, with these texts. */
const readers = {
  bin: 'words of the command line, and files that it names',
  'orchestration/bisect': 'names of files, output of git, words of the command line',
  'orchestration/contract': 'names of fields and types',
  'orchestration/explain/machine.ts': 'files of the kernel',
  'orchestration/failures/causes.ts': 'output of ranks, libraries and systems',
  'orchestration/failures/forensics.ts': 'stacks of ranks',
  'orchestration/crosscheck': 'output of other benchmarks',
  'orchestration/engines': 'variables of other libraries',
  'orchestration/host-checks': 'output of system tools',
  'orchestration/hosts': 'host lists of users, Slurm and MPI',
  'orchestration/launchers': 'output of ssh, srun and kubectl',
  'orchestration/preparing/host-options.ts': 'words of the command line',
  'orchestration/preparing/host-pool.ts': 'output of the agent’s host',
  'orchestration/rank-numbers.ts': 'words of the command line',
  'orchestration/recording': 'variables and files of recorded programs',
  'orchestration/resuming/differences.ts': 'variables of the environment',
  'orchestration/running/host-logs.ts': 'logs of other libraries',
  'orchestration/running/execution.ts': 'warnings of libraries',
  'reports/charts/render.ts': 'SVG',
  'reports/charts/slim-svg.ts': 'SVG',
  'reports/figures/draw.ts': 'SVG',
  'reports/figures/lightness.ts': 'colours',
  'reports/figures/pdf.ts': 'SVG',
  'reports/figures/tex.ts': 'TeX',
  'reports/figures/theme-file.ts': 'theme files of users',
  'reports/html/compact-svg.ts': 'SVG',
  'reports/html/markup.ts': 'HTML',
  'reports/html/method.ts': 'placeholder in stored definitions',
  'reports/html/scripts': 'addresses and SVG in a browser',
  'reports/picture/fonts.ts': 'names of files',
  'reports/picture/svg.ts': 'SVG',
  'reports/site/feeds.ts': 'addresses',
  'reports/site/links.ts': 'addresses',
  'reports/site/write.ts': 'files of the site',
  'reports/topology/pictures.ts': 'SVG',
  'results/baseline/store.ts': 'names of files',
  'results/bundle': 'files of users',
  'results/doctor': 'output of system tools',
  'results/export': 'CSV, OpenMetrics, JUnit, Markdown',
  'results/files': 'names of files',
  'results/derive/cells/choices.ts': 'algorithms as libraries name them',
  'results/derive/evidence/nccl.ts': 'connections in NCCL’s log',
  'results/derive/evidence/rails.ts': 'names of network interfaces',
  'results/derive/metrics': 'stored names of metrics',
  'results/fold.ts': 'names of hosts',
  'results/history/series-name.ts': 'words of a search',
  'results/import': 'output of other programs',
  'results/machine': 'files of the kernel',
  'results/markup-text.ts': 'XML and Markdown',
  'results/record': 'records of the interposed library',
  'results/schema/generate.ts': 'words of the command line',
  'results/schema/loads.ts': 'stored names of loads',
  'results/schema/rank-facts.ts': 'stored facts of ranks',
  'results/schema/series-name.ts': 'stored names of series',
  'results/schema/skews.ts': 'stored delays of ranks',
  'results/schema/transports/detail.ts': 'names of link models',
  'results/schema/transports/index.ts': 'paths of plugins',
  'results/schema/transports/plugin.ts': 'paths of plugins',
  'results/schema/workloads/identity.ts': 'stored ids of cells',
  'results/schema/workloads/matrix': 'names and scripts of traffic matrices',
  'results/store': 'stored records',
  'results/topology': 'files of NVIDIA and the kernel',
  'suites/engines/mpi-causes.ts': 'variables of MPI libraries',
  'suites/bisect/settings.ts': 'files of settings',
  'suites/jobs': 'scripts of users',
  'suites/matrix': 'matrix files and words of the command line',
  'suites/options': 'words of the command line',
  'suites/sets.ts': 'words of the command line',
  'suites/sizes.ts': 'words of the command line',
  'suites/suite': 'suite files',
  'suites/transports/emulators.ts': 'words of the command line',
  'suites/workloads': 'words of the command line, and scripts',
};

/** Files that give numbers and any text their form, and read no fact from it. */
const formatters = {
  'results/text.ts': 'lines, sentences, file names, words of a shell',
  'results/units.ts': 'numbers and nouns',
  'results/verdicts/drain.ts': 'lines for a shell',
};

/** A call that finds out what a text says, or changes a part of it. Single characters, such as separators to escape, are no words. */
const takesApart = [
  /\.(?:replace|replaceAll|match|matchAll|search|split)\(\s*\/(?![/*])/g,
  /(?:\/[dgimsuvy]*|\b\w+)\.(?:test|exec)\(/g,
  /\.(?:split|replace|replaceAll|indexOf|lastIndexOf|startsWith|endsWith)\(\s*(['"`])(?:(?!\1)[^\\]|\\.){2,}\1/g,
  /\.includes\(\s*(['"`])(?:(?!\1).)*[^\w'"`-](?:(?!\1).)*\1/g,
];

/** Code with the number of its places: the patterns are checked before files are. */
const examples = {
  "reason.replace(/ \\(.*$/, '')": 1,
  "caption.startsWith('no verdict')": 1,
  '/\\bover (\\S+)/.exec(detail)?.[1]': 1,
  'ranksPattern.exec(title)?.[0]': 1,
  "title.split(', ')[0]": 1,
  "text.includes('/s') || text.includes(' at ')": 2,
  "flags.includes('interrupted')": 0,
  "text.replaceAll('<', '&lt;')": 0,
  "path.split('/')": 0,
};

const rooms = /^(?:bin|results|reports|suites|orchestration)\/.*\.ts$/;
const test = /\.test\.ts$|\/(?:testing|tests|fixtures|approved)\//;
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => rooms.test(file) && !test.test(file) && existsSync(path.join(root, file)));
const isReader = (file) =>
  Object.keys({ ...readers, ...formatters }).some((one) => file === one || file.startsWith(`${one}/`));

/** Returns the lines of the places in a text of code, without those in comments. */
function placesIn(code) {
  const text = code.replaceAll(/^[^\S\n]*(?:\/\/|\/?\*).*$/gm, '');
  const at = new Set(takesApart.flatMap((call) => [...text.matchAll(call)].map(({ index }) => index)));
  return [...at].sort((a, b) => a - b).map((index) => text.slice(0, index).split('\n').length);
}

const breaches = Object.entries(examples)
  .filter(([code, count]) => placesIn(code).length !== count)
  .map(([code]) => `${code}: tests/own-texts.mjs does not count this as its example says`);
for (const file of files.filter((one) => !isReader(one)))
  for (const line of placesIn(readFileSync(path.join(root, file), 'utf8')))
    breaches.push(`${file}:${line}: takes a text apart; carry the fact in a field`);
for (const file of [...Object.keys(readers), ...Object.keys(formatters)])
  if (!existsSync(path.join(root, file)))
    breaches.push(`${file}: there is no such file, take it off the list`);
for (const breach of breaches) console.error(breach);
console.log(`own texts: ${files.length} files`);
process.exitCode = breaches.length > 0 ? 1 : 0;
