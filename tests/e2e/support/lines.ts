import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type ProcessResult, root } from '../harness.ts';
import { storedSuite } from './stored.ts';

/** A command line that measures nothing. */
export interface LineRequest {
  /** Words after "collbench". */
  words: readonly string[];
  cwd: string;
  /** Width of the output, as in COLUMNS. */
  columns: number;
}

/**
 * Words after each command that measures nothing, right and wrong ones. `RUN` stands for a reference run, `RUNS` for each of them,
 * `SUITE` for the stored suite. Output for programs, such as CSV, is left out.
 */
export const quietWords: Record<string, readonly string[]> = {
  runs: ['', '--filter nothing', '--filter nightly'],
  show: ['', 'last', 'RUNS', 'RUN --chart', 'SUITE'],
  report: ['', 'last --out report', 'SUITE', 'nosuchrun'],
  history: ['', 'allreduce', 'allreduce --chart', 'frobnicate'],
  site: ['', 'public', 'public --runs nowhere'],
  model: ['', 'last', 'RUN', 'RUN --predict ranks=16', 'RUN --step resnet50', 'SUITE'],
  bisect: ['', '--good a --bad b', '--good a.yaml --bad b.yaml -- allreduce --launches 2'],
  explain: ['SUITE', 'nosuchrun', '--at 8 --budget never'],
  compare: ['', 'last last', 'last~1 last', 'last~1 last --all', 'RUN last', 'SUITE last'],
  baseline: [
    '',
    'list',
    'show',
    'show nightly',
    'set last',
    'set last --name mine',
    'show mine',
    'list',
    'lits',
  ],
  export: ['', 'SUITE --metrics', 'nosuchrun', 'last --metrics'],
  import: ['', 'nowhere.txt', 'notes.txt', 'empty'],
  bundle: ['', 'last --out run.gz', 'last --out run.gz', 'SUITE'],
  rm: ['', 'SUITE', 'last'],
  prune: ['', '--dry-run', '--keep 1 --dry-run'],
  doctor: ['', '--transport sokcet'],
  transports: ['', '--explain'],
  topo: ['', 'nowhere.xml', 'notes.txt', 'empty'],
  conformance: ['', 'mlx'],
  plugin: ['', 'check', 'check nowhere.so'],
  link: ['', 'fit', 'fit last'],
  completion: ['', 'tcsh'],
  help: ['', 'commands', 'options', 'environment', 'terms', 'exit', 'method', 'metod', 'suite'],
  suite: ['', '--list', 'thesis --list', 'smoke --plan-only', 'nigthly', 'SUITE'],
  resume: ['', 'last', 'SUITE'],
  record: ['', '--read nowhere', '--read empty'],
  aa: ['', 'alreduce'],
  crosscheck: ['', '--nccl-tests nowhere'],
  pairs: ['', '--hosts one'],
  tune: ['--frobnicate'],
};

/** Lines of commands that measure, but not with these words. */
const others = [
  'alreduce',
  '--version',
  '--help',
  'allreduce --frobnicate',
  'allreduce --min 1M --max 1K',
  'allreduce --max 1M --plan-only',
  'allreduce --max 1M --transport socket,sisci --explain',
  'replay SUITE',
];

/** Stored runs of this repository: collectives, training, replay, and the cost of starting operations. */
const references = ['nccl-2-h200', 'train-2-h100', 'replay-2-h100', 'controlpath-2-h200'].map((name) =>
  path.join(root, 'results/reference', name),
);

/** Lines of all commands that measure nothing, for a folder that writeStored() filled, or an empty one. */
export const linesThatMeasureNothing = (): string[] =>
  [
    ...Object.entries(quietWords).flatMap(([name, all]) => all.map((words) => `${name} ${words}`.trim())),
    ...others,
  ]
    .flatMap((line) => (line.includes('RUNS') ? references.map((run) => line.replace('RUNS', run)) : [line]))
    .map((line) => line.replace('RUN', references[0] ?? ''))
    .map((line) => line.replaceAll('SUITE', storedSuite.id));

const runner = fileURLToPath(new URL('./line-runner.js', import.meta.url));

/** Carries out command lines one after the other, all in one process that is no terminal. Returns one result per line. */
export async function runLines(requests: readonly LineRequest[]): Promise<ProcessResult[]> {
  const child = spawn(process.execPath, [runner], {
    env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  child.stdin.end(JSON.stringify(requests));
  const results = (await json(child.stdout)) as ProcessResult[];
  await ended;
  return results;
}
