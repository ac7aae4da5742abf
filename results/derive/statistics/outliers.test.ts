import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNormal } from '../../testing/block.ts';
import { type HostOutliers, outliersOf, type PairTime } from './outliers.ts';

/** All pairs of n hosts, with 100 us times `factor`; null = did not run. */
function pairsOf(n: number, factor: (a: number, b: number) => number | null): PairTime[] {
  const pairs: PairTime[] = [];
  for (let a = 0; a < n; a++) {
    for (let b = a + 1; b < n; b++) {
      const times = factor(a, b);
      pairs.push({ a: `h${a}`, b: `h${b}`, timeNs: times === null ? null : 100_000 * times });
    }
  }
  return pairs;
}
const named = ({ hosts, pairs }: HostOutliers) => [
  ...hosts.filter(({ isOutlier }) => isOutlier).map(({ name }) => name),
  ...pairs.filter(({ isOutlier }) => isOutlier).map(({ a, b }) => `${a}-${b}`),
];
const has = (host: number, a: number, b: number) => a === host || b === host;

test('a host whose pairs are all slow is named, not its partners nor its links', () => {
  for (const n of [3, 4, 5, 8, 33]) {
    for (const slow of [0, 1, n - 1]) {
      const found = outliersOf(pairsOf(n, (a, b) => (has(slow, a, b) ? 2 : 1)));
      assert.deepEqual(named(found), [`h${slow}`], `of ${n}`);
      const host = found.hosts[slow];
      if (n > 3) assert.ok(Math.abs((host?.slowdown ?? 0) - 2) < 1e-9);
      assert.ok((host?.score ?? 0) > 3.5);
    }
  }
});

test('one slow link is named, not its hosts', () => {
  for (const n of [3, 4, 5, 8, 33]) {
    const found = outliersOf(pairsOf(n, (a, b) => (a === 0 && b === 2 ? 3 : 1)));
    assert.deepEqual(named(found), ['h0-h2'], `of ${n}`);
  }
});

test('several slow hosts, up to nearly half of them, and a link of its own', () => {
  const two = outliersOf(pairsOf(5, (a, b) => (has(1, a, b) || has(3, a, b) ? 2 : 1)));
  assert.deepEqual(named(two), ['h1', 'h3']);
  const three = outliersOf(pairsOf(8, (_, b) => (b >= 5 ? 1.5 : 1)));
  assert.deepEqual(named(three), ['h5', 'h6', 'h7']);
  const mixed = outliersOf(pairsOf(8, (a, b) => (a === 0 && b === 1 ? 4 : has(6, a, b) ? 2 : 1)));
  assert.deepEqual(named(mixed), ['h6', 'h0-h1']);
});

test('noise names nobody; a slow host and a slow link stand out of it, for nearly all seeds', () => {
  const wrong = { quiet: 0, slow: 0 };
  for (let seed = 1; seed <= 100; seed++) {
    const normal = seededNormal(seed);
    const noise = () => Math.exp(0.03 * normal());
    const quiet = outliersOf(pairsOf(16, noise));
    if (named(quiet).length > 0) wrong.quiet++;
    const slow = outliersOf(
      pairsOf(16, (a, b) => noise() * (has(9, a, b) ? 1.15 : 1) * (a === 2 && b === 4 ? 1.4 : 1)),
    );
    if (named(slow).join() !== 'h9,h2-h4') wrong.slow++;
  }
  assert.ok(wrong.quiet <= 5, `${wrong.quiet} of 100 without a fault`);
  assert.ok(wrong.slow <= 10, `${wrong.slow} of 100 with faults`);
});

test('below 5 % nothing is named, however quiet the rest', () => {
  assert.deepEqual(named(outliersOf(pairsOf(8, (a, b) => (has(5, a, b) ? 1.04 : 1)))), []);
  assert.deepEqual(named(outliersOf(pairsOf(8, (a, b) => (has(5, a, b) ? 1.06 : 1)))), ['h5']);
  assert.deepEqual(
    named(
      outliersOf(
        pairsOf(8, (a, b) => (has(5, a, b) ? 1.4 : 1)),
        1.5,
      ),
    ),
    [],
  );
});

test('a fast host is no outlier', () => {
  assert.deepEqual(named(outliersOf(pairsOf(8, (a, b) => (has(5, a, b) ? 0.5 : 1)))), []);
});

test('pairs that did not run: of a host that is down, of a link', () => {
  const down = outliersOf(pairsOf(5, (a, b) => (has(2, a, b) ? null : 1)));
  assert.deepEqual(named(down), ['h2']);
  assert.deepEqual([down.hosts[2]?.slowdown, down.hosts[2]?.score], [null, null]);
  const link = outliersOf(pairsOf(5, (a, b) => (a === 0 && b === 2 ? null : 1)));
  assert.deepEqual(named(link), ['h0-h2']);
  const all = outliersOf(pairsOf(3, () => null));
  assert.deepEqual(
    all.hosts.map(({ slowdown }) => slowdown),
    [null, null, null],
  );
  const two = outliersOf(pairsOf(4, (a, b) => (has(0, a, b) || has(1, a, b) ? null : 1)));
  assert.deepEqual(named(two), ['h0', 'h1']);
});

test('a host measured with slow partners only is judged all the same', () => {
  const pairs = pairsOf(6, (a, b) => (has(0, a, b) ? 2 : 1)).filter(({ a, b }) => a === 'h0' || b !== 'h5');
  assert.deepEqual(named(outliersOf(pairs)), ['h0']);
});

test('two hosts: there is no telling', () => {
  const found = outliersOf(pairsOf(2, () => 5));
  assert.deepEqual(named(found), []);
  assert.deepEqual(found.pairs[0]?.score, null);
});

test('no pairs, and times that are none', () => {
  assert.deepEqual(outliersOf([]).hosts, []);
  for (const timeNs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => outliersOf([{ a: 'x', b: 'y', timeNs }]), /positive and finite, got .* for x and y/);
  }
});
