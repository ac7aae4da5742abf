import assert from 'node:assert/strict';
import { test } from 'node:test';
import { middleHalf } from './steps.ts';

test('a quarter is left out at either end, rounded down', () => {
  assert.deepEqual(middleHalf([40, 10, 30, 20]), [2, 3]);
  assert.deepEqual(middleHalf([9, 1, 5]), [0, 1, 2]);
  assert.deepEqual(middleHalf([7]), [0]);
  assert.equal(middleHalf(Array.from({ length: 103 }, (_, i) => i)).length, 103 - 2 * 25);
});

test('of equal values the earlier are left out below and the later above: as many stay as of others', () => {
  assert.deepEqual(middleHalf([5, 5, 5, 5, 5, 5, 5, 5]), [2, 3, 4, 5]);
});
