import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadAxes } from '../schema/index.ts';
import { contradictions, type SeriesSizes } from './contradictions.ts';

const series = (
  what: string,
  timesUs: readonly number[],
  other: WorkloadAxes & { half?: number | null } = {},
): SeriesSizes => {
  const { half = 0.01, ...axes } = other;
  return {
    what,
    axes: { dtype: 'float32', op: null, root: null, inPlace: false, ...axes },
    points: timesUs.map((us, i) => ({
      bytes: 1024 * 2 ** i,
      timeNs: us * 1000,
      half,
      error: half === null ? null : half / 2,
      launchMediansNs: [],
      choice: '',
    })),
  };
};

test('times that grow and agree contradict nothing', () => {
  const all = [
    series('allreduce', [19, 29]),
    series('reducescatter', [10, 15]),
    series('allgather', [10, 15]),
  ];
  assert.deepEqual(contradictions(all), []);
});

test('a larger message in less time is a dip at the smaller one', () => {
  const [dip, ...rest] = contradictions([series('allreduce', [10, 30, 20])]);
  assert.equal(rest.length, 0);
  assert.equal(dip?.kind, 'dip');
  assert.deepEqual(dip?.at, [{ bytes: 2048, timeNs: 30000, otherNs: 20000, otherBytes: 4096 }]);
});

test('less than 3 %, less than the intervals allow, or no interval at all: no dip', () => {
  for (const [second, half] of [
    [9.75, 0.001],
    [9, 0.05],
    [5, null],
  ] as const)
    assert.deepEqual(contradictions([series('allreduce', [10, second], { half })]), []);
});

test('a collective that others replace in less time is named with them, at the sizes where that is so', () => {
  const all = [
    series('allreduce', [30, 32], { op: 'sum' }),
    series('reducescatter', [10, 16], { op: 'sum' }),
    series('allgather', [10, 16]),
  ];
  const [only, ...rest] = contradictions(all);
  assert.equal(rest.length, 0);
  assert.deepEqual(only?.parts, ['reducescatter', 'allgather']);
  assert.deepEqual(
    only?.at.map(({ bytes, otherNs }) => [bytes, otherNs]),
    [[1024, 20000]],
  );
});

const changed = (one: SeriesSizes, axes: WorkloadAxes): SeriesSizes => ({
  ...one,
  axes: { ...one.axes, ...axes },
});

test('another data type, operation or root is no substitute', () => {
  const whole = series('allreduce', [30, 40], { op: 'sum' });
  const parts = [series('reducescatter', [10, 10], { op: 'sum' }), series('allgather', [10, 10])];
  const otherType = parts.map((p) => changed(p, { dtype: 'int8' }));
  assert.deepEqual(contradictions([whole, ...otherType]), []);
  const [scattered, gathered] = parts as [SeriesSizes, SeriesSizes];
  assert.deepEqual(contradictions([whole, changed(scattered, { op: 'max' }), gathered]), []);
});

test('in place must not take longer than out of place', () => {
  const [only] = contradictions([
    series('allgather', [10, 20]),
    series('allgather', [12, 20], { inPlace: true }),
  ]);
  assert.equal(only?.kind, 'in-place');
  assert.deepEqual(
    only?.at.map(({ bytes }) => bytes),
    [1024],
  );
});
