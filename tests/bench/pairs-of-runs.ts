// npm run bench:pairs [-- --pairs 60] [-- --load] [-- --planted 10]: short equal runs, two by two, held against each other as
// `collbench compare` does; with --load beside a process that comes and goes. Prints how many were called slower or faster, how
// many size ranges had no verdict, and in how many pairs a planted slowdown (percent, on all times of the second) was found.
// Ends with 1 where more than one pair in sixty was called changed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compareRuns, type ReadRun } from '../../results/compare/index.ts';
import type { CellRecord, PairOfRuns } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/index.ts';
import { root } from '../e2e/harness.ts';
import { competitor } from './competitor.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '60' },
    planted: { type: 'string', default: '10' },
    load: { type: 'boolean', default: false },
  },
});
const wanted = Number(values.pairs);
const factor = 1 + Number(values.planted) / 100;
const folder = mkdtempSync(path.join(tmpdir(), 'pairs-'));
const busy = values.load ? competitor() : null;

async function measure(name: string): Promise<ReadRun> {
  const out = path.join(folder, name);
  const what = ['allreduce', '--max', '64K', '--transport', 'socket', '--launches', '5', '--iters', '200'];
  const { status, stderr } = spawnSync(path.join(root, 'bin', 'collbench'), [...what, '--out', out], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return openRun(out);
}

/** All times longer. */
function slowed({ record, cells }: ReadRun): ReadRun {
  const longer = cells.map((cell): CellRecord => {
    if (cell.status !== 'ok') return cell;
    const figures = cell.figures.map((one) =>
      one.kind === 'measured'
        ? { ...one, value: factor * one.value, launchValues: one.launchValues.map((ns) => factor * ns) }
        : one,
    );
    return { ...cell, figures };
  });
  return { record, cells: longer };
}

const isChanged = ({ groups, cells }: PairOfRuns): boolean =>
  [...groups, ...cells].some(({ change }) => change.verdict === 'slower' || change.verdict === 'faster');

const count = { changed: 0, ranges: 0, open: 0, disturbed: 0, judged: 0, found: 0 };
try {
  for (let i = 0; i < wanted; i += 1) {
    const [a, b] = [await measure(`a${i}`), await measure(`b${i}`)];
    const [pair] = compareRuns([a, b]).pairs;
    const [planted] = compareRuns([a, slowed(b)]).pairs;
    if (pair === undefined || planted === undefined) continue;
    const having = (verdict: string) => pair.groups.filter(({ change }) => change.verdict === verdict).length;
    count.ranges += pair.groups.length;
    count.open += having('not-enough-data');
    count.disturbed += having('disturbed');
    if (isChanged(pair)) {
      count.changed += 1;
      process.stderr.write(`${pair.summary}\n`);
    }
    if (pair.verdict !== 'disturbed') count.judged += 1;
    if (planted.groups.some(({ change }) => change.verdict === 'slower')) count.found += 1;
    process.stderr.write(`${i + 1} of ${wanted}: ${JSON.stringify(count)}\n`);
  }
} finally {
  busy?.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  [
    `${wanted} pairs of equal runs${values.load ? ', a process beside them that comes and goes' : ''}`,
    `called slower or faster: ${count.changed} pairs`,
    `of ${count.ranges} size ranges: not enough data ${count.open}, disturbed ${count.disturbed}`,
    `planted +${values.planted} % found in ${count.found} pairs, of ${count.judged} that were judged`,
    '',
  ].join('\n'),
);
process.exitCode = count.changed > Math.max(1, wanted / 60) ? 1 : 0;
