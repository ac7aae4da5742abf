// npm run bench:disturbed [-- CONFIGURATIONS]: runs of default sampling with a smaller budget, while another process uses one
// core at random times. Exit 1 if the within-samples interval of a figure exceeds its samples. Exit 1, too, if an interval is
// wider than a factor of four, or a missing interval has no reason. Prints statistics of the intervals.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from 'simple-statistics';
import { maxIntervalSpan } from '../../results/derive/index.ts';
import { allMeasuredFigures, type CellRecord, type MeasuredFigure } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { root } from '../e2e/harness.ts';
import { competitor } from './competitor.ts';

const wanted = Number(process.argv[2] ?? 500);
/** Resolution of the clock, which limits the precision of every figure. */
const stepNs = 1;

function outside({ samplesAlone, min, max }: MeasuredFigure): boolean {
  if (samplesAlone === undefined || min === null || max === null) return false;
  return samplesAlone.low < min - stepNs || samplesAlone.high > max + stepNs;
}

const busy = competitor();
const folder = mkdtempSync(path.join(tmpdir(), 'disturbed-'));
const cells: CellRecord[] = [];
try {
  for (let i = 0; cells.length < wanted; i += 1) {
    const out = path.join(folder, String(i));
    const args = [
      'allreduce',
      '--max',
      '1M',
      '--transport',
      'socket,sisci',
      '--budget',
      '40s',
      '--seed',
      String(i + 1),
      '--out',
      out,
    ];
    const { status, stderr } = spawnSync(path.join(root, 'bin', 'collbench'), args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`run ${i + 1} ended with ${status}: ${stderr}`);
    cells.push(...(await openRun(out)).cells);
    process.stderr.write(`${cells.length} of ${wanted} configurations\n`);
  }
} finally {
  busy.kill();
  rmSync(folder, { recursive: true, force: true });
}
const figures = cells.flatMap((cell) => (cell.status === 'ok' ? allMeasuredFigures(cell) : []));
const intervals = figures.flatMap(({ interval }) => interval ?? []);
const floors = figures.filter(outside).length;
const wide = intervals.filter(({ low, high }) => high > maxIntervalSpan * low).length;
const silent = figures.filter(({ interval, intervalReason }) => interval === null && !intervalReason).length;
const beyond = figures.filter(
  ({ interval, min, max }) =>
    interval !== null && (interval.low < (min ?? 0) - stepNs || interval.high > (max ?? 0) + stepNs),
).length;
const half = median(intervals.map(({ low, high }) => Math.log(high / low) / 2));
const flagged = cells.filter((cell) => cell.status === 'ok' && cell.flags.length > 0).length;
process.stdout.write(
  [
    `${cells.length} configurations, ${flagged} flagged, ${figures.length} figures`,
    `floors outside the samples: ${floors}`,
    `intervals over a factor of ${maxIntervalSpan}: ${wide}; beyond the samples: ${beyond}`,
    `without an interval: ${figures.length - intervals.length}, of these without a reason: ${silent}`,
    `median half width: ${(100 * half).toFixed(1)} %`,
    '',
  ].join('\n'),
);
process.exitCode = floors + wide + silent > 0 ? 1 : 0;
