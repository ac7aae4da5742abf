import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairRounds, ringSteps } from './pairs.ts';

test('every pair once, no host twice in a round, as few rounds as there can be', () => {
  for (let n = 1; n <= 33; n++) {
    const rounds = pairRounds(n);
    const pairs = rounds.flat();
    assert.equal(pairs.length, (n * (n - 1)) / 2, `${n} hosts`);
    assert.equal(new Set(pairs.map(String)).size, pairs.length);
    for (const [a, b] of pairs) assert.ok(0 <= a && a < b && b < n);
    for (const round of rounds) {
      assert.equal(new Set(round.flat()).size, 2 * round.length);
      assert.equal(round.length, Math.floor(n / 2));
    }
    assert.equal(rounds.length, n < 2 ? 0 : n % 2 === 0 ? n - 1 : n);
  }
});

test('four hosts, by hand', () => {
  assert.deepEqual(
    pairRounds(4).map((round) => round.map(String).join(' ')),
    ['0,3 1,2', '1,3 0,2', '2,3 0,1'],
  );
});

test('the ring grows by one host; none and one host have nothing to measure', () => {
  assert.deepEqual(ringSteps(4), [
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
  ]);
  assert.deepEqual([pairRounds(0), pairRounds(1)], [[], []]);
  assert.deepEqual([ringSteps(0), ringSteps(1)], [[], []]);
});
