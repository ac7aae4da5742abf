import assert from 'node:assert/strict';
import { test } from 'node:test';
import { algGBps, busGBps } from './bandwidth.ts';

test('bandwidth in decimal gigabytes: 1 GB in 1 s is 1 GB/s', () => {
  assert.equal(algGBps(1e9, 1e9), 1);
  assert.equal(algGBps(0, 5), 0);
});

test('a stopped clock or a negative size is an error, never a figure', () => {
  for (const ns of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => algGBps(1, ns), RangeError);
  assert.throws(() => algGBps(-1, 1), RangeError);
  assert.throws(() => busGBps(1, 1, -0.5), RangeError);
});
