import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeRules, findChanges } from './changes.ts';
import { scanT } from './scan.ts';

const { time, ratio } = changeRules.smallest;

/** Nights that scatter by `sd` in a fixed pattern: quantiles of a normal distribution in scrambled order. */
const quantiles = [0.1, -1.2, 0.7, -0.3, 1.6, -0.8, 0.3, 1.1, -1.7, -0.1, 0.5, -0.6];
const nights = (n: number, sd: number, level: (night: number) => number = () => 0): number[] =>
  Array.from({ length: n }, (_, i) => level(i) + sd * (quantiles[i % quantiles.length] as number));
const step =
  (at: number, by: number) =>
  (i: number): number =>
    i >= at ? by : 0;

test('the pooled t of a split is that of the textbook', () => {
  // Means 3 and 7, squares 10 and 10 with 8 degrees: t = 4 / sqrt(2.5 (1/5 + 1/5)) = 4, p = 0.00395 (R: 2*pt(-4, 8)).
  const z = [1, 4, 2, 5, 3, 7, 9, 5, 8, 6];
  const split = scanT(z, 0, 10, { left: 5, right: 5 });
  assert.ok(split !== null);
  assert.deepEqual([split.at, split.degrees, split.shift], [5, 8, 4]);
  // The neighbours in the left part alternate, so its nights count as independent.
  assert.ok(Math.abs(split.t - 4) < 1e-12, String(split.t));
  assert.ok(Math.abs(split.p - 0.003949) < 1e-6, String(split.p));
});

test('a steady series has no change, nor has one that is too short or equal to the digit', () => {
  assert.deepEqual(findChanges(nights(200, 0.01), time), []);
  assert.deepEqual(findChanges(nights(8, 0.01, step(4, 1)), time), []);
  assert.deepEqual(findChanges(new Array(100).fill(5), time), []);
});

test('a step is found two nights after it, at its night, and is not told again', () => {
  const found = findChanges(nights(120, 0.01, step(60, 0.05)), time);
  assert.equal(found.length, 1);
  const [change] = found;
  assert.ok(change !== undefined && change.at === 60 && change.foundAt <= 62, JSON.stringify(found));
  assert.ok(Math.abs(change.shift - 0.05) < 0.015, String(change.shift));
  assert.ok(change.first <= 60 && change.last >= 60 && change.p < changeRules[change.rule].p);
});

test('what goes back is a second change, although few nights lie between', () => {
  const level = (i: number): number => (i >= 60 && i < 66 ? 0.08 : 0);
  const found = findChanges(nights(100, 0.01, level), time);
  assert.deepEqual(
    found.map(({ at, shift }) => [at, Math.sign(shift)]),
    [
      [60, 1],
      [66, -1],
    ],
  );
});

test('a change below the smallest worth telling is none, and ratios may be finer than times', () => {
  const z = nights(120, 0.002, step(60, 0.013));
  assert.deepEqual(findChanges(z, time), []);
  assert.equal(findChanges(z, ratio)[0]?.at, 60);
});

test('one bad night is no change, however bad; nor are two after nights like them', () => {
  const level = (i: number): number => (i === 60 ? 1 : 0);
  assert.deepEqual(findChanges(nights(100, 0.01, level), time), []);
  const spikes = (i: number): number => (i === 30 || i === 60 || i === 61 ? 0.2 : 0);
  assert.deepEqual(findChanges(nights(63, 0.01, spikes), time), []);
});

test('slow growth is found against a quarter of a year ago, where no window shows a step', () => {
  const grown = findChanges(
    nights(200, 0.02, (i) => 0.0004 * i),
    time,
  );
  assert.ok(grown.some(({ shift }) => shift > 0));
});

test('more nights never change what was found before', () => {
  const z = nights(150, 0.015, (i) => (i >= 90 ? 0.1 : i >= 50 ? 0.06 : 0));
  const whole = findChanges(z, time);
  assert.ok(whole.length >= 2);
  for (let n = 1; n <= z.length; n += 1)
    assert.deepEqual(
      findChanges(z.slice(0, n), time),
      whole.filter(({ foundAt }) => foundAt < n),
    );
});
