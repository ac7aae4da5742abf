import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testBlock } from '../../testing/block.ts';
import { asNcclTests, asOsu } from './other-programs.ts';

test('nccl-tests: elapsed time by the number of calls, mean over ranks, median over samples', () => {
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

test('nccl-tests: only pipelined samples count', () => {
  assert.equal(asNcclTests([]), null);
  assert.equal(asNcclTests([testBlock([100])]), null);
});

test('OSU: own time of each rank, mean over calls and ranks, without calls that a rank came late to', () => {
  const block = testBlock([400, 440, 9000], {
    startNs: [
      [0, 1000, 2000],
      [10, 1010, 9000],
    ],
    endNs: [
      [400, 1440, 9500],
      [450, 1490, 9600],
    ],
    late: [
      [0, 0, 0],
      [0, 0, 1],
    ],
  });
  // Ranks take 400 and 440, 440 and 480; the third call is late and left out.
  assert.equal(asOsu([block]), 440);
});

test('OSU: only isolated samples count', () => {
  assert.equal(asOsu([]), null);
  assert.equal(asOsu([testBlock([100], { trial: 'pipelined', batch: 20 })]), null);
});
