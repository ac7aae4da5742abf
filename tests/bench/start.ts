// `npm run bench:start [-- ROUNDS]`: duration of commands that measure nothing. Each round starts `node -e 0` and every command
// in turn. The result is the ratio of the medians: start of the command to start of node itself. Exit 1 if a limit is exceeded.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { packageRoot } from '../../results/package.ts';
import { command } from '../e2e/harness.ts';

const rounds = Number(process.argv[2] ?? 11);
const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-start-'));
const reference = path.join(packageRoot, 'results/reference');
const runs = path.join(folder, 'collbench-runs');

/** Stores 100 runs for commands that list runs. Each has its own run.json and cells, because links are rejected. */
function store(): void {
  mkdirSync(runs);
  const from = path.join(reference, 'nccl-2-h200');
  const record = JSON.parse(readFileSync(path.join(from, 'run.json'), 'utf8'));
  for (let run = 0; run < 100; run += 1) {
    const id = (0xabc000 + run).toString(16);
    const to = path.join(
      runs,
      `2026-01-${String(1 + (run % 28)).padStart(2, '0')}T00-00-${String(run % 60).padStart(2, '0')}Z-allreduce-${id}`,
    );
    mkdirSync(to);
    writeFileSync(path.join(to, 'run.json'), JSON.stringify({ ...record, id }));
    cpSync(path.join(from, 'cells.ndjson'), path.join(to, 'cells.ndjson'));
  }
}

/** Writes output of nccl-tests under NCCL_DEBUG=INFO, about 100 KB: its rows among lines of NCCL. */
function foreign(): string {
  const source = path.join(packageRoot, 'results/import/fixtures/nccl-tests-2.19.6-2xH200-all_reduce.txt');
  const said = (line: number) =>
    `gpu01:4242:4250 [0] NCCL INFO Channel ${line}/24 : 0[0] -> 1[1] via P2P/CUMEM/read`;
  const lines = readFileSync(source, 'utf8').split('\n');
  const file = path.join(folder, 'nccl-tests.txt');
  const noise = Array.from({ length: 1300 }, (_, i) => said(i));
  writeFileSync(file, [...noise, ...lines].join('\n'));
  return file;
}

const one = path.join(reference, 'nccl-2-h200');
const other = path.join(reference, 'nccl-2-h200-four-channels');
interface StartCase {
  words: string[];
  /** Maximum ratio of the command's time to the start of node itself. */
  limit: number;
  /** Expected exit code, 0 if absent; another one means that something else was timed. */
  exit?: number;
}
const cases: StartCase[] = [
  { words: ['--version'], limit: 3.5 },
  { words: ['help'], limit: 3.5 },
  { words: ['allreduce', '--help'], limit: 3.5 },
  { words: ['completion', 'bash'], limit: 3.5 },
  { words: ['allreduce', '--frobnicate'], limit: 3.5, exit: 1 },
  { words: ['runs'], limit: 3.5 },
  { words: ['show', one], limit: 4.5 },
  { words: ['compare', one, other], limit: 4.5 },
  { words: ['history', 'allreduce p2p'], limit: 4.5 },
  { words: ['export', one], limit: 4.5 },
  { words: ['model', one], limit: 4.5 },
  { words: ['import', foreign()], limit: 4.5 },
  { words: ['report', one, '--out', path.join(folder, 'report')], limit: 16 },
];

/**
 * Milliseconds of one start.
 * @throws {Error} if the program does not end with the exit code `exit`
 */
function elapsedMs(program: string, words: readonly string[], exit: number): number {
  const began = performance.now();
  const { status, signal, stderr, error } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  const took = performance.now() - began;
  if (status === exit) return took;
  const end = error?.message ?? signal ?? `exit code ${status}`;
  throw new Error(`${program} ${words.join(' ')}: ${end} instead of exit code ${exit}\n${stderr}`);
}

try {
  store();
  const node: number[] = [];
  const took = cases.map((): number[] => []);
  // The very first start may build, index and fill caches.
  for (const { words, exit = 0 } of cases) elapsedMs(command, words, exit);
  for (let round = 0; round < rounds; round += 1) {
    node.push(elapsedMs(process.execPath, ['-e', '0'], 0));
    for (const [i, { words, exit = 0 }] of cases.entries()) took[i]?.push(elapsedMs(command, words, exit));
  }
  const bareMs = median(node);
  console.log(
    `node -e 0: ${bareMs.toFixed(0)} ms; median of ${rounds}\n\n  beyond   times node  limit   command`,
  );
  for (const [i, { words, limit }] of cases.entries()) {
    const ms = median(took[i] ?? []);
    const isLate = ms / bareMs > limit;
    if (isLate) process.exitCode = 1;
    const shown = words.map((word) => (path.isAbsolute(word) ? path.basename(word) : word));
    console.log(
      `${(ms - bareMs).toFixed(0).padStart(5)} ms ${(ms / bareMs).toFixed(1).padStart(12)} ${limit.toFixed(1).padStart(6)}   ${shown.join(' ')}${isLate ? '   TOO SLOW' : ''}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
