import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MeasuredFigure, measuredOf } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from './cell.ts';
import { missingP95Reasons } from './tails.ts';

const noisy = (n: number, mean: number): number[] =>
  Array.from({ length: n }, (_, i) => mean + ((i * 7) % 11));

/** A latency figure with this number of samples, each of `batch` operations. */
function latency(samples: number, batch = 1): MeasuredFigure {
  const figure = measuredOf(deriveCell(testPlan(), 0, 0, [testBlock(noisy(samples, 1000))]), 'latency');
  assert.ok(figure !== null);
  return batch === 1 ? figure : { ...figure, batch, p95: null };
}

test('with 20 samples there is a p95 and nothing to say', () => {
  assert.ok(latency(20).p95 !== null);
  assert.deepEqual(missingP95Reasons([latency(20)]), []);
});

test('a p95 that is missing has its reason: too few samples, or samples of several operations', () => {
  assert.equal(latency(19).p95, null);
  assert.deepEqual(missingP95Reasons([latency(15)]), ['needs 20 samples; 1 of 1 took 15']);
  assert.deepEqual(missingP95Reasons([latency(20), latency(15), latency(9), latency(40, 8)]), [
    'needs 20 samples; 2 of 4 took 9 to 15',
    'needs samples of one operation; 1 of 4 took batches of 8',
  ]);
});

test('of imported figures nothing is known of samples', () => {
  assert.deepEqual(missingP95Reasons([{ ...latency(20), p95: null, samples: 0 }, latency(20)]), [
    'is not known of imported figures (1 of 2)',
  ]);
});
