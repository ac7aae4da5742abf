import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlpath, type SideFigure } from '../schema/index.ts';
import { testBlock } from '../testing/block.ts';
import { partsOf } from './parts.ts';

/** Rank 1 writes no columns. */
const block = (columns: Record<string, number[]>, launch = 0, trial: 'isolated' | 'pipelined' = 'isolated') =>
  testBlock(
    (columns.total ?? []).map(() => 1000),
    {
      launch,
      trial,
      columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, [values, []]])),
    },
  );

const values = (found: readonly SideFigure[]) =>
  Object.fromEntries(found.map(({ name, value }) => [name, value]));

test('parts are means of all isolated samples, and what steps leave of the total is unattributed', () => {
  const found = partsOf(controlpath, [
    block({ post: [100, 300], completion: [700, 700], total: [900, 1100], doorbells: [1, 1] }),
    block({ post: [500], completion: [400], total: [1000], doorbells: [1] }, 1),
    block({ post: [9], completion: [9], total: [99], doorbells: [7] }, 1, 'pipelined'),
  ]);
  assert.deepEqual(values(found), {
    post: 300,
    completion: 600,
    total: 1000,
    doorbells: 1,
    unattributed: 100,
  });
  const rest = found.find(({ name }) => name === 'unattributed');
  assert.deepEqual([rest?.unit, rest?.launchValues], ['ns', [1000 - 200 - 700, 1000 - 500 - 400]]);
  assert.equal(found.find(({ name }) => name === 'doorbells')?.unit, '1');
});

test('a step without a column has no figure; without a total nothing is unattributed', () => {
  assert.deepEqual(values(partsOf(controlpath, [block({ ring: [5], doorbells: [32] })])), {
    ring: 5,
    doorbells: 32,
  });
  assert.deepEqual(partsOf(controlpath, [testBlock([1000])]), []);
});

test('a column that the row does not have is no figure', () => {
  assert.deepEqual(values(partsOf(controlpath, [block({ total: [10], other: [3] })])), { total: 10 });
});
