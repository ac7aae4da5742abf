import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stallDoubt } from './stalls.ts';

/** Samples of 1,000 ns, and of 50,000 ns in the given bursts [from, length]. */
function withBursts(n: number, ...bursts: [from: number, length: number][]): number[] {
  const isStalled = (i: number) => bursts.some(([from, length]) => i >= from && i < from + length);
  return Array.from({ length: n }, (_, i) => (isStalled(i) ? 50_000 : 1000));
}

test('what was not met: 5 % of the samples, at most two bursts of 20; half of them move the median', () => {
  for (const [n, ranks] of [
    [100, 2.5],
    [500, 12.5],
    [800, 20],
    [2000, 20],
  ] as const) {
    assert.deepEqual(stallDoubt(withBursts(n)), { deviation: 0, missed: ranks / n });
  }
});

test('what was met counts: 5 % or more leave nothing to be missed', () => {
  assert.equal(stallDoubt(withBursts(500, [10, 15])).missed, 5 / 500);
  assert.equal(stallDoubt(withBursts(500, [10, 15], [200, 10])).missed, 0);
  assert.equal(stallDoubt(withBursts(500, [0, 60])).missed, 0);
  assert.equal(stallDoubt(withBursts(2000, [10, 20])).missed, 20 / 2000, 'two more bursts may be due');
});

test('bursts that were met widen to both sides by the squares of their lengths; single stalls are in the ranks', () => {
  // Bursts of 10 and 6: 10 * 9 + 6 * 5 = 120, times 3 / 2; half of the root.
  assert.equal(
    stallDoubt(withBursts(500, [10, 10], [494, 6])).deviation.toFixed(9),
    (Math.sqrt(180) / 2 / 500).toFixed(9),
  );
  assert.deepEqual(stallDoubt(withBursts(500, [10, 1], [20, 1])), { deviation: 0, missed: 12.5 / 500 });
});
