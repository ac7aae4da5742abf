import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incompleteBeta, studentP, studentQuantile } from './student.ts';

const near = (actual: number, wanted: number, tolerance: number) =>
  assert.ok(Math.abs(actual - wanted) <= tolerance * Math.abs(wanted), `${actual} is not ${wanted}`);

test('t quantiles of the textbooks', () => {
  for (const [p, df, t] of [
    [0.975, 1, 12.7062047],
    [0.975, 2, 4.30265273],
    [0.975, 4, 2.77644511],
    [0.975, 20, 2.08596345],
    [0.95, 10, 1.81246112],
    [0.995, 3, 5.84090931],
    [0.975, 1e6, 1.95996635],
  ] as const) {
    near(studentQuantile(p, df), t, 1e-8);
  }
  assert.equal(studentQuantile(0.025, 4), -studentQuantile(0.975, 4));
});

test('p-values: with one degree of freedom t is Cauchy, with two there is a closed form', () => {
  near(studentP(1, 1), 0.5, 1e-12);
  near(studentP(2, 2), 1 - 2 / Math.sqrt(6), 1e-12);
  assert.equal(studentP(0, 7), 1);
  near(studentP(1e5, 2), 1e-10, 1e-8);
});

test('incomplete beta against its closed forms', () => {
  near(incompleteBeta(1, 3, 0.2), 1 - 0.8 ** 3, 1e-13);
  near(incompleteBeta(4, 1, 0.7), 0.7 ** 4, 1e-13);
  near(incompleteBeta(2, 2, 0.5), 0.5, 1e-13);
  assert.equal(incompleteBeta(2, 3, 0), 0);
  assert.equal(incompleteBeta(2, 3, 1), 1);
});

test('arguments outside of the range are refused', () => {
  assert.throws(() => studentQuantile(1, 3), /between 0 and 1, got 1/);
  assert.throws(() => studentQuantile(0.5, 0), /degrees of freedom/);
});
