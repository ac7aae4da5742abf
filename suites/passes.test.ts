import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPlan } from '../results/testing/plan.ts';
import { passesOf, pointPasses } from './passes.ts';

test('a short run is one pass: all its points lie between two launches of one', () => {
  assert.deepEqual(passesOf([1, 2, 3, 4]), [[0, 1, 2, 3]]);
  assert.deepEqual(passesOf([]), []);
  assert.deepEqual(passesOf([0, 0]), [[0, 1]]);
});

test('passes of a long run take about as long as each other', () => {
  const costs = Array.from({ length: 40 }, (_, i) => 1 + (i % 3));
  const passes = passesOf(costs);
  assert.equal(passes.length, 3);
  assert.deepEqual(
    passes.flat(),
    costs.map((_, i) => i),
  );
  for (const pass of passes) {
    const seconds = pass.reduce((sum, point) => sum + (costs[point] ?? 0), 0);
    assert.ok(seconds > 24 && seconds < 29, `${seconds} s`);
  }
});

test('a point that takes longer than a pass has one of its own', () => {
  assert.deepEqual(passesOf([100, 1, 1, 1, 100]).at(0), [0]);
  assert.deepEqual(passesOf([100, 1, 1, 1, 100]).at(-1), [4]);
});

test('where launches need not be apart, as where there is one: point by point, so that rows come as they are measured', () => {
  const plan = testPlan();
  const points = [...plan.points.keys()];
  assert.deepEqual(
    pointPasses(plan),
    points.map((point) => [point]),
  );
  assert.deepEqual(pointPasses({ ...plan, sampling: { ...plan.sampling, apart: true } }), [points]);
});
