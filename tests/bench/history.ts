// How long `collbench history SERIES` takes with many runs: `npm run bench:history [-- RUNS]`. The index is made, the run
// folders are empty: what is timed is what an answer needs of them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupsMeant, indexName, openIndex, trendOf } from '../../results/history/index.ts';
import { recordOf } from '../../results/history/records.ts';
import type { HistoryColumn, HistoryLine } from '../../results/schema/index.ts';
import { randomSource } from '../../suites/random.ts';
import { command } from '../e2e/harness.ts';

const runs = Number(process.argv[2] ?? 10_000);
/** 24 runs a night, as in the measurements this index was chosen by. */
const nights = Math.ceil(runs / 24);
const random = randomSource(1);
const series = ['allreduce', 'allgather', 'reducescatter', 'broadcast'].flatMap((collective) =>
  ['socket', 'sisci'].map(
    (over) =>
      `collective;collective=${collective};dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=${over};medium=hardware`,
  ),
);
const groups = series.flatMap((key) => ['small', 'mid', 'large'].map((regime) => `${key}/${regime}`));

const columns = groups.flatMap((group): HistoryColumn[] =>
  ['latency', 'pipelined'].map((figure) => ({ group, figure, like: 'c0ffee00', points: 9 })),
);

function line(run: number): HistoryLine {
  const at = new Date(Date.UTC(2025, 0, 1 + Math.floor(run / 24), 1, run % 24)).toISOString();
  const night = 0.01 * (random() - 0.5);
  const value = () => 9 + night + 0.02 * (random() - 0.5);
  const figures = columns.map(() => recordOf({ log: value(), sd: 0.01, launches: 5 })).join('');
  const id = run.toString(16).padStart(6, '0');
  const folder = `${at.replace(/\.\d+/, '').replaceAll(':', '-')}-allreduce-${id}`;
  const cells = { expected: 280, measured: 280, wrong: 0, contradicted: 0 };
  return { schemaVersion: 3, folder, id, at, state: 'complete', hosts: ['vm'], cells, set: 'all', figures };
}

const root = mkdtempSync(join(tmpdir(), 'collbench-bench-history-'));
try {
  let text = `${JSON.stringify({ schemaVersion: 3, set: 'all', columns })}\n`;
  for (let run = 0; run < runs; run += 1) {
    const one = line(run);
    mkdirSync(join(root, one.folder));
    text += `${JSON.stringify(one)}\n`;
  }
  writeFileSync(join(root, indexName), text);
  const mib = (statSync(join(root, indexName)).size / 2 ** 20).toFixed(0);
  process.stdout.write(
    `${runs} runs in ${nights} nights, ${groups.length} groups each, index of ${mib} MiB\n`,
  );
  const query = { asked: 'allreduce socket' };
  const inner: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const before = process.cpuUsage();
    const began = performance.now();
    const index = await openIndex(root);
    const opened = performance.now();
    const trends = groupsMeant(index, query).map((name) => trendOf(index, name, query));
    inner.push(performance.now() - began);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    const parts = `index ${(opened - began).toFixed(0)} ms, ${trends.length} trends ${(performance.now() - opened).toFixed(0)} ms`;
    process.stdout.write(`  work: ${(inner.at(-1) as number).toFixed(0)} ms (${parts})\n`);
  }
  const whole: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now();
    const { status, stderr } = spawnSync(command, [
      'history',
      'allreduce',
      'socket',
      '--root',
      root,
      '--json',
    ]);
    if (status !== 0) throw new Error(String(stderr));
    whole.push(performance.now() - began);
  }
  const at = (values: number[], share: number) =>
    ([...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] as number).toFixed(0);
  const middle = (values: number[]) => at(values, 0.5);
  process.stdout.write(
    `median: work ${middle(inner)} ms (9 of 10 within ${at(inner, 0.9)} ms; first ${(inner[0] as number).toFixed(0)} ms; processor time ${middle(cpu)} ms), whole command ${middle(whole)} ms\n`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
