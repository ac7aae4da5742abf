// test: core
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInterval } from './sign-interval.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test('order statistics and coverage as tabulated for the median', () => {
  assert.deepEqual(signInterval(upTo(6)), { low: 1, high: 6, coverage: 1 - 2 / 64 });
  const ten = signInterval(upTo(10).reverse());
  assert.deepEqual([ten.low, ten.high], [2, 9]);
  assert.equal(ten.coverage.toFixed(4), '0.9785');
  const twenty = signInterval(upTo(20));
  assert.deepEqual([twenty.low, twenty.high], [6, 15]);
  assert.equal(twenty.coverage.toFixed(4), '0.9586');
});

test('fewer than six values have no 95 % interval', () => {
  assert.throws(() => signInterval(upTo(5)), /at least 6 values, got 5/);
});
