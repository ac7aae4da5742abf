import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellOverlap, TransportPlan } from '../results/schema/index.ts';
import { sweepsOf } from './fastest-choices.ts';
import { socketPlan, syntheticRun } from './fixtures/synthetic.ts';
import { buildPage } from './html/page.ts';
import { overlapPoints, overlapSentences } from './load-overlap.ts';
import { groupsOf, isOk } from './series.ts';
import { comparisonsOf } from './series-comparison.ts';

const loaded: TransportPlan = { ...socketPlan, name: 'socket@compute:2', settings: { beside: 'compute:2' } };
const launches = [1000, 1010, 990, 1005];

function beside(isLoaded: boolean): CellOverlap {
  const load = {
    ...{ unit: 'Gflop/s' as const, alone: 40, beside: 16 },
    keptShares: [0.4, 0.41, 0.39, 0.4],
  };
  return {
    word: isLoaded ? 'compute:2' : null,
    workers: isLoaded ? 4 : 0,
    trials: [
      {
        trial: 'pipelined',
        meanNs: launches.map((ns) => (isLoaded ? 2 * ns : ns)),
        load: isLoaded ? load : null,
      },
    ],
  };
}

function run() {
  const made = syntheticRun({ transports: [socketPlan, loaded], minBytes: 512, maxBytes: 1024 });
  const cells = made.cells.map((cell) =>
    isOk(cell) ? { ...cell, beside: beside(cell.transport === loaded.name) } : cell,
  );
  return { ...made, cells };
}

test('a sentence for each load: what it costs the operation, what that costs the load, and the overlap', () => {
  assert.deepEqual(
    overlapSentences(groupsOf([run()])).map((text) =>
      text.replaceAll(/\([\d.x%\s-]+ to [\d.x%\s-]+\)/g, '(..)'),
    ),
    [
      'socket@compute:2 at 1 KiB, beside computations (4 threads): 2.0x (..) its quiet mean time back to back, 1.00 µs to 2.00 µs; the load keeps 40 % (..) of its speed; overlap -10 % (..)',
    ],
  );
});

test('every size has a row in the report; without loads there is none', async () => {
  const groups = groupsOf([run()]);
  assert.deepEqual(
    groups.flatMap(overlapPoints).map(({ x }) => x),
    [512, 1024],
  );
  const { page } = await buildPage([run()]).then((html) => ({ page: JSON.stringify(html) }));
  assert.match(page, /Beside a load/);
  const quiet = syntheticRun({ transports: [socketPlan], maxBytes: 64 });
  assert.deepEqual(groupsOf([quiet]).flatMap(overlapPoints), []);
  assert.deepEqual(overlapSentences(groupsOf([quiet])), []);
});

test('a load is no transport to be compared with, and no algorithm to be the fastest', () => {
  const [group] = groupsOf([run()]);
  assert.ok(group !== undefined);
  assert.deepEqual(comparisonsOf(group), []);
  assert.deepEqual(sweepsOf(group), []);
});
