import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobItem } from '../schema/index.ts';
import type { SizePoint } from './points.ts';
import { interpolateTime, stepTimes } from './step.ts';

const compute = (ns: number): JobItem => ({ do: 'compute', ns });
const call = (bytes: number): JobItem => ({ do: 'call', collective: 'allreduce', dtype: 'float32', bytes });
const wait: JobItem = { do: 'wait' };
const point = (bytes: number, timeNs: number, half: number | null = null): SizePoint => ({
  bytes,
  timeNs,
  half,
  error: null,
  launchMediansNs: [],
  choice: '',
});

test('calls run one after the other beside computations; what is left over is exposed', () => {
  const items = [compute(10), call(30), compute(10), call(20), compute(5), wait, compute(1)];
  // Calls run at 10..40 and 40..60; computation ends at 25, the wait at 60.
  assert.deepEqual(
    stepTimes(items, ({ bytes }) => bytes),
    { stepNs: 61, exposedNs: 35, collectivesNs: 50 },
  );
  assert.deepEqual(
    stepTimes([call(3), compute(10)], ({ bytes }) => bytes),
    { stepNs: 10, exposedNs: 0, collectivesNs: 3 },
  );
  assert.equal(stepTimes([compute(4), call(3)], () => 3).exposedNs, 3);
});

test('sizes between measured ones lie on the line of their logarithms, beyond them at the same rate', () => {
  const points = [point(100, 10, 0.1), point(10_000, 1000)];
  assert.equal(interpolateTime(points, 100), 10);
  assert.ok(Math.abs((interpolateTime(points, 1000) ?? 0) - 100) < 1e-9);
  assert.equal(interpolateTime(points, 20_000), 2000);
  assert.equal(interpolateTime(points, 8), 10);
  assert.ok((interpolateTime(points, 8, 1) ?? 0) > 11);
  assert.equal(interpolateTime([], 8), null);
});
