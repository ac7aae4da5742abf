import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crossings, type PairedTimes } from './crossover.ts';

/** Two straight lines: a = 10 + S/10 and b = 20 + S/20 ns, which meet at S = 200. */
const lines = (half: number | null): PairedTimes[] =>
  [8, 64, 128, 256, 1024].map((x) => ({
    x,
    aNs: 10 + x / 10,
    bNs: 20 + x / 20,
    aHalf: half,
    bHalf: half,
  }));

test('lines in bytes are met exactly where they cross', () => {
  const found = crossings(lines(null));
  assert.equal(found.length, 1);
  assert.ok(Math.abs((found[0]?.x ?? 0) - 200) < 1e-9);
});

test('the grey zone spans the roots of the shifted lines', () => {
  // h = sqrt(2) * 0.01: e^h (10 + S/10) = 20 + S/20, and the same with -h.
  const h = Math.SQRT2 * 0.01;
  const root = (shift: number) => (20 - 10 * Math.exp(shift)) / (Math.exp(shift) / 10 - 1 / 20);
  const [found] = crossings(lines(0.01));
  assert.ok(Math.abs((found?.low ?? 0) - root(h)) < 1e-6);
  assert.ok(Math.abs((found?.high ?? 0) - root(-h)) < 1e-6);
});

test('a grey zone that reaches beyond the sizes measured has an open end', () => {
  const [found] = crossings(lines(0.5));
  assert.equal(found?.high, null);
});

test('lines that do not meet, and no points, have no crossing', () => {
  assert.deepEqual(crossings([8, 16].map((x) => ({ x, aNs: 10, bNs: 20, aHalf: 0.01, bHalf: 0.01 }))), []);
  assert.deepEqual(crossings([]), []);
});

test('several crossings are listed in order of x', () => {
  const times = [
    [10, 20],
    [30, 20],
    [10, 20],
  ].map(([aNs, bNs], i) => ({
    x: 2 ** i,
    aNs: aNs as number,
    bNs: bNs as number,
    aHalf: 0.01,
    bHalf: 0.01,
  }));
  assert.deepEqual(
    crossings(times).map(({ x }) => x),
    [1.5, 3],
  );
});
