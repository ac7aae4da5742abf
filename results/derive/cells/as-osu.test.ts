import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testBlock } from '../../testing/block.ts';
import { asOsu } from './as-osu.ts';

test('own time of each rank, mean over calls and ranks, without calls that a rank came late to', () => {
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

test('only isolated samples count', () => {
  assert.equal(asOsu([]), null);
  assert.equal(asOsu([testBlock([100], { trial: 'pipelined', batch: 20 })]), null);
});
