import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { changeRules, findChanges } from './changes.ts';
import { minNightScatter, scanT } from './scan.ts';

const random = randomSource(7);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Nights of a synthetic machine: scatter `sd`, with occasional steps and outliers. */
function madeNights(n: number, sd: number): number[] {
  let level = 9;
  return Array.from({ length: n }, () => {
    if (random() < 0.02) level += 0.2 * (random() - 0.5);
    return level + sd * normal() + (random() < 0.04 ? 0.2 * random() : 0);
  });
}

const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
};

const sum = (values: readonly number[]): number => values.reduce((total, x) => total + x, 0);

interface ScanSpread {
  mean: number;
  squares: number;
}

/** A plain version of the scan that computes every split from the beginning. */
function plainScan(z: readonly number[], limits: { left: number; right: number }) {
  const steps = z.slice(1).map((x, i) => Math.abs(x - (z[i] as number)));
  const limit = 3.5 * Math.max(minNightScatter, (1.4826 / Math.SQRT2) * middle(steps));
  const spread = (values: readonly number[]) => {
    const mean = sum(values) / values.length;
    return { mean, squares: sum(values.map((x) => (x - mean) ** 2)) };
  };
  const winsorised = (values: readonly number[]) => {
    const centre = middle(values);
    return values.map((x) => Math.min(Math.max(x, centre - limit), centre + limit));
  };
  let best = { at: 0, shift: 0, t: 0 };
  for (let at = limits.left; at <= z.length - limits.right; at += 1) {
    const plain = [z.slice(0, at), z.slice(at)];
    const moved = plain.map(winsorised);
    const farNights = moved.flat().filter((x, i) => Math.abs(x - (z[i] as number)) > 0).length;
    const [left, right] = (farNights > 0.03 * z.length ? plain : moved).map(spread) as [
      ScanSpread,
      ScanSpread,
    ];
    const variance = Math.max((left.squares + right.squares) / (z.length - 2), minNightScatter ** 2);
    const shift = right.mean - left.mean;
    const t = shift / Math.sqrt(variance * (1 / at + 1 / (z.length - at)));
    if (Math.abs(t) > Math.abs(best.t)) best = { at, shift, t };
  }
  return best;
}

test('running medians and sums find the split that the plain form finds', () => {
  for (const sd of [0.001, 0.003, 0.01, 0.04])
    for (let n = 13; n <= 50; n += 1) {
      const z = madeNights(n, sd);
      const limits = { left: 10, right: 3 };
      const [plain, split] = [plainScan(z, limits), scanT(z, 0, n, limits)];
      assert.equal(split?.at, plain.at);
      assert.ok(Math.abs((split?.shift ?? 1) - plain.shift) < 1e-9, `${split?.shift} and ${plain.shift}`);
      // Correlation of neighbours can only reduce t.
      assert.ok(Math.abs(split?.t ?? 99) < Math.abs(plain.t) + 1e-6, `${split?.t} and ${plain.t}`);
    }
});

test('windows that are not scanned have no change', () => {
  let changes = 0;
  let skipped = 0;
  for (const sd of [0.0005, 0.002, 0.004, 0.01, 0.03])
    for (const smallest of Object.values(changeRules.smallest))
      for (let series = 0; series < 4; series += 1) {
        const z = madeNights(250, sd);
        const found = findChanges(z, smallest);
        const none = () => {
          skipped += 1;
          return false;
        };
        assert.deepEqual(findChanges(z, smallest, none), found);
        changes += found.length;
      }
  assert.ok(changes > 40 && skipped > 1000, `${changes} changes, ${skipped} windows`);
});
