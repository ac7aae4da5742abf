// npm run bench:pairs [-- --pairs 60] [-- --load] [-- --planted 10] [-- --over OPTIONS]: measures pairs of short equal runs. With
// --second=OPTIONS the second run of each pair has further options that should cost nothing, such as --second="--skew 0".
// Compares them as `collbench compare` does, with the runs before them as history. With --load another process uses one core at
// random times. Prints how many pairs were called slower or faster, and how many size ranges had no verdict. Also prints in how
// many pairs an added slowdown (percent, on all times of the second run) was found. Exit 1 if more than one pair in sixty was
// called changed, or none was judged.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { separateRuns } from '../../results/compare/calibrate.ts';
import { type ComparableRun, compareRuns } from '../../results/compare/compare-runs.ts';
import type { CellRecord } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { root } from '../e2e/harness.ts';
import { competitor } from './competitor.ts';
import { emptyTally, pairsFailed, pairsText, withPair } from './pairs-tally.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '60' },
    planted: { type: 'string', default: '10' },
    load: { type: 'boolean', default: false },
    over: { type: 'string', default: '--max 64K --transport socket --launches 16 --iters 1000' },
    second: { type: 'string', default: '' },
  },
});
const wanted = Number(values.pairs);
const factor = 1 + Number(values.planted) / 100;
const folder = mkdtempSync(path.join(tmpdir(), 'pairs-'));
const busy = values.load ? competitor() : null;

async function measure(name: string, further = ''): Promise<ComparableRun> {
  const out = path.join(folder, name);
  const options = `${values.over} ${further}`.split(' ').filter((word) => word !== '');
  const what = ['allreduce', ...options];
  const { status, stderr } = spawnSync(path.join(root, 'bin', 'collbench'), [...what, '--out', out], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return openRun(out);
}

/** The run with all times multiplied by `factor`. */
function slowed({ record, cells }: ComparableRun): ComparableRun {
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

/** Maximum number of earlier runs that `collbench compare` reads. */
const maxEarlier = 15;
const earlier: ComparableRun[] = [];
let tally = emptyTally;
try {
  for (let i = 0; i < wanted; i += 1) {
    const [a, b] = [await measure(`a${i}`), await measure(`b${i}`, values.second)];
    // null: no calibration of the machine by `collbench aa`.
    const apart = separateRuns(null, [a.record, b.record], earlier.slice(-maxEarlier));
    earlier.push(a, b);
    const [equal] = compareRuns([a, b], apart).pairs;
    const [planted] = compareRuns([a, slowed(b)], apart).pairs;
    if (equal === undefined || planted === undefined) throw new Error(`pair ${i + 1} was not compared`);
    const before = tally.changed;
    tally = withPair(tally, equal, planted);
    if (tally.changed > before) process.stderr.write(`${equal.summary}\n`);
    process.stderr.write(`${i + 1} of ${wanted}: ${JSON.stringify(tally)}\n`);
  }
} finally {
  busy?.kill();
  rmSync(folder, { recursive: true, force: true });
}
const how = { planted: Number(values.planted), isLoaded: values.load };
process.stdout.write(`${pairsText(tally, how)}\n`);
process.exitCode = pairsFailed(tally) ? 1 : 0;
