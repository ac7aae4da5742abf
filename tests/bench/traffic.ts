// npm run bench:traffic: what uneven traffic costs over emulated cards against what is predicted. A line (latency and bandwidth)
// is fitted to the times of puts. From it and the busiest port of each matrix follows by how much alltoallv takes longer with
// zipf:1.2 than with uniform. Both are measured interleaved in one run. Exit 1 if a prediction is off by more than 15 %.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { linearRegression, linearRegressionLine } from 'simple-statistics';
import {
  type CellRecord,
  dtypeBytes,
  measuredOf,
  type OkCell,
  trafficMatrix,
  trafficSums,
} from '../../results/schema/index.ts';
import { command } from '../e2e/harness.ts';

const limit = 0.15;
const ranks = 4;
const bytes = 4 * 2 ** 20;
/** A link so slow that its time exceeds what the processors of the machine add, GB/s. */
const link = ['--link', 'custom:gbps=0.005'];
const skewed = { kind: 'zipf', exponent: 1.2, seed: 0 } as const;

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-traffic-'));

/** @throws {Error} if the command fails */
function run(words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`collbench ${words.join(' ')}: exit code ${status}\n${stderr}`);
  return stdout;
}

const cellsOf = (words: readonly string[]): OkCell[] =>
  run([...words, '--json'])
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.status === 'ok');

/** Median time of a cell, ns. @throws {Error} if it has none */
function timeOf(cells: readonly OkCell[], wanted: (cell: OkCell) => boolean): number {
  const cell = cells.find(wanted);
  const time = cell === undefined ? null : measuredOf(cell, 'latency');
  if (time === null) throw new Error('no time');
  return time.value;
}

/** Link model fitted to puts of several sizes over an emulated card: time in ns of so many bytes. */
function fittedLink(transport: string): (bytes: number) => number {
  const cells = cellsOf([
    ...['put', '--window', '1', '--sizes', '256K,512K,1M,2M', '--transport', transport, ...link],
    ...['--launches', '2', '--iters', '5'],
  ]);
  const points = cells.map((cell) => [Number(cell.axes.bytes), measuredOf(cell, 'latency')?.value ?? 0]);
  return linearRegressionLine(linearRegression(points));
}

/** Largest number of bytes that one rank sends or receives. */
const busiestOf = (pattern: Parameters<typeof trafficMatrix>[0]): number =>
  trafficSums(trafficMatrix(pattern, ranks, bytes / dtypeBytes.float32)).busiest * dtypeBytes.float32;

function predictionIsOff(transport: string): boolean {
  const timeNs = fittedLink(transport);
  const [even, uneven] = [busiestOf({ kind: 'uniform' }), busiestOf(skewed)];
  const cells = cellsOf([
    ...['alltoallv', '--matrix', 'uniform,zipf:1.2', '--ranks', String(ranks), '--sizes', String(bytes)],
    ...['--transport', transport, ...link, '--launches', '3', '--iters', '6'],
  ]);
  const evenNs = timeOf(cells, ({ axes }) => axes.matrix === 'uniform');
  const unevenNs = timeOf(cells, ({ axes }) => axes.matrix === 'zipf:1.2');
  const [predicted, measured] = [timeNs(uneven) / timeNs(even), unevenNs / evenNs];
  const off = measured / predicted - 1;
  const ms = (ns: number): string => `${(ns / 1e6).toFixed(0)} ms`;
  console.log(
    `${transport}: the fitted link predicts ${ms(timeNs(even))} and ${ms(timeNs(uneven))}, measured ${ms(evenNs)} and ${ms(unevenNs)}; zipf:1.2 takes ${measured.toFixed(2)}x, predicted ${predicted.toFixed(2)}x: ${(100 * off).toFixed(1)} %${Math.abs(off) > limit ? ' BEYOND THE LIMIT' : ''}`,
  );
  return Math.abs(off) > limit;
}

try {
  for (const transport of ['sisci', 'ibgda']) if (predictionIsOff(transport)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
