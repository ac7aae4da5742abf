// `npm run bench:report [-- ROUNDS]`: size of a report's page, and the time to write it. Stores synthetic runs, then starts
// `collbench report` as users do. The result is the median over the rounds; processor time shows how much of it a busy machine
// adds. Exit 1 if a limit is exceeded.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { largeRun } from '../../reports/fixtures/large.ts';
import { syntheticBlocks } from '../../reports/fixtures/samples.ts';
import { syntheticRun } from '../../reports/fixtures/synthetic.ts';
import type { ReportRun } from '../../reports/series.ts';
import { createRun } from '../../results/store/write.ts';
import { command } from '../e2e/harness.ts';

const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-report-'));

/**
 * Stores a synthetic run in the same form as a command does.
 * @returns folder of the run
 */
async function stored(run: ReportRun, name: string): Promise<string> {
  const out = path.join(folder, name);
  const writer = await createRun({ out, record: run.record });
  for (const block of syntheticBlocks(run)) await writer.appendBlock(block);
  await writer.replaceCells(run.cells);
  for (const series of (await run.metrics?.()) ?? []) {
    const lines = [];
    for await (const line of series.lines()) lines.push(line);
    await writer.appendMetrics(series.header.host, [series.header, ...lines]);
  }
  await writer.update(run.record);
  await writer.close();
  return out;
}

/**
 * Wall and processor seconds of one `collbench report`.
 * @throws {Error} if it fails
 */
function written(run: string): { seconds: number; processor: number } {
  const out = path.join(folder, 'report');
  const began = performance.now();
  const timed = 'TIMEFORMAT="%U %S"; time "$@" >&2';
  const { status, stderr } = spawnSync('bash', ['-c', timed, 'bash', command, 'report', run, '--out', out], {
    cwd: folder,
    encoding: 'utf8',
  });
  const seconds = (performance.now() - began) / 1000;
  if (status !== 0) throw new Error(`collbench report ${run}: exit code ${status}\n${stderr}`);
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, processor: user + system };
}

const cases = [
  { title: '28 sizes x 2 transports', run: syntheticRun(), limitKB: 700, limitS: 1 },
  {
    title: '5 collectives x 3 transports x 28 sizes, 8 nodes, 20 minutes',
    run: largeRun(),
    limitKB: 6000,
    limitS: 6,
  },
];

try {
  console.log(`median of ${rounds}\n\n     kB  limit   seconds  limit   processor   run`);
  for (const [i, { title, run, limitKB, limitS }] of cases.entries()) {
    const dir = await stored(run, `run-${i}`);
    // The first start compiles code that later starts reuse.
    written(dir);
    const all = Array.from({ length: rounds }, () => written(dir));
    const seconds = median(all.map((one) => one.seconds));
    const processor = median(all.map((one) => one.processor));
    const kB = statSync(path.join(folder, 'report/report.html')).size / 1000;
    const isBeyond = kB > limitKB || seconds > limitS;
    if (isBeyond) process.exitCode = 1;
    console.log(
      `${kB.toFixed(0).padStart(7)} ${String(limitKB).padStart(6)} ${seconds.toFixed(2).padStart(9)} ${limitS.toFixed(1).padStart(6)} ${processor.toFixed(2).padStart(11)}   ${title}${isBeyond ? '   BEYOND' : ''}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
