import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxCurvePoints, TimeCurve } from './time-curve.ts';

test('a line has at most so many points however long the run was, and its mean stays', () => {
  const course = new TimeCurve(0, 10);
  for (let i = 0; i < 100_000; i += 1) course.add(10 * i + 5, i % 2);
  const points = course.points();
  assert.ok(points.length <= maxCurvePoints && points.length > maxCurvePoints / 2);
  assert.ok(points.every(({ value }) => value === 0.5));
  assert.ok(points.every(({ s }, i) => i === 0 || s > (points[i - 1]?.s ?? 0)));
});

test('where nothing was read there is a hole, not a zero', () => {
  const course = new TimeCurve(1000, 10);
  course.add(1005, 7);
  course.add(1035, 8);
  assert.deepEqual(
    course.points().map(({ s, value }) => [Math.round(s * 1e9), value]),
    [
      [5, 7],
      [35, 8],
    ],
  );
});
