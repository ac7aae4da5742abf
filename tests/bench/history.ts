// `npm run bench:history [-- RUNS]`: duration of `collbench history SERIES` with many runs. The index is generated and the run
// folders are nearly empty, because the command reads nothing else.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../../results/files/json.ts';
import { readPlainTextSync } from '../../results/files/plain.ts';
import { matchingGroups, trendOf } from '../../results/history/trend.ts';
import { listRuns } from '../../results/store/list.ts';
import { files } from '../../results/store/paths.ts';
import { indexName } from '../../results/store/run-index/lines.ts';
import { openIndex } from '../../results/store/run-index/open.ts';
import { command } from '../e2e/harness.ts';
import { groups, runsPerNight, writeHistoryOf } from './made-history.ts';

/** Processor time of this process during `work`, ms. */
async function processorMs(work: () => Promise<unknown> | unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function readEachRecord(root: string): void {
  for (const folder of readdirSync(root))
    if (folder !== indexName) parseJson(readPlainTextSync(join(root, folder, files.record), 2 ** 28));
}

const runs = Number(process.argv[2] ?? 10_000);
const nights = Math.ceil(runs / runsPerNight);
const root = mkdtempSync(join(tmpdir(), 'collbench-bench-history-'));
try {
  writeHistoryOf(root, runs);
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
    const trends = matchingGroups(index, query).map((name) => trendOf(index, name, query));
    inner.push(performance.now() - began);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    const parts = `index ${(opened - began).toFixed(0)} ms, ${trends.length} trends ${(performance.now() - opened).toFixed(0)} ms`;
    process.stdout.write(`  work: ${(inner.at(-1) as number).toFixed(0)} ms (${parts})\n`);
  }
  // Listing runs from the index alternates with reading and parsing every run.json, because machines drift.
  const lists: number[] = [];
  const reads: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    lists.push(await processorMs(() => listRuns(root)));
    reads.push(await processorMs(() => readEachRecord(root)));
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
    `list of runs: processor time ${middle(lists)} ms with the index, ${middle(reads)} ms reading each run.json (${(Number(middle(reads)) / Number(middle(lists))).toFixed(1)} times)\n`,
  );
  process.stdout.write(
    `median: work ${middle(inner)} ms (9 of 10 within ${at(inner, 0.9)} ms; first ${(inner[0] as number).toFixed(0)} ms; processor time ${middle(cpu)} ms), whole command ${middle(whole)} ms\n`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
