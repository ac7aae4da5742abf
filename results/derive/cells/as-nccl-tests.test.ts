import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testBlock } from '../../testing/block.ts';
import { asNcclTests } from './as-nccl-tests.ts';

test('elapsed time by the number of calls, mean over ranks, median over samples', () => {
  const block = testBlock([400, 440, 800], {
    trial: 'pipelined',
    batch: 20,
    startNs: [
      [0, 1000, 2000],
      [10, 1010, 2010],
    ],
    endNs: [
      [400, 1440, 2800],
      [450, 1490, 2850],
    ],
  });
  // Ranks take 400 and 440, 440 and 480, 800 and 840; divided by 20 the means are 21, 23, 41.
  assert.equal(asNcclTests([block]), 23);
});

test('only pipelined samples count', () => {
  assert.equal(asNcclTests([]), null);
  assert.equal(asNcclTests([testBlock([100])]), null);
});
