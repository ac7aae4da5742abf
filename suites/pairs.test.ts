import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPlan, testPoint } from '../results/testing/plan.ts';
import {
  blocksOfSet,
  estimateSetsS,
  expectedOf,
  pairRounds,
  planOfSet,
  rankPairSets,
  ringSteps,
  setName,
  setsAgain,
} from './pairs.ts';

const hosts = (n: number) => Array.from({ length: n }, (_, i) => ({ name: `h${i}`, ranks: [i] }));
const gather = (count: number, requestedX: number) => ({
  ...testPoint({ collective: 'allgather', op: null, count }),
  requestedX,
});
const sides = (n: number) => hosts(n).map(({ ranks }) => ranks);
const plan = testPlan({ ranks: 4, hosts: hosts(4), points: [gather(1, 8), gather(1024, 8192)] });

test('sets: all pairs in rounds, then rings one after the other', () => {
  const sets = rankPairSets(sides(4), true);
  assert.deepEqual(sets.map(({ kind }) => kind).join(), 'pair,pair,pair,pair,pair,pair,ring,ring,ring');
  assert.deepEqual(
    sets.map(({ round }) => round),
    [0, 0, 1, 1, 2, 2, 3, 4, 5],
  );
  assert.deepEqual(sets.at(-1)?.ranks, [0, 1, 2, 3]);
  assert.equal(rankPairSets(sides(4), false).length, 6);
  assert.equal(setName({ kind: 'ring', ranks: [0, 1, 2], round: 0 }, ['a', 'b', 'c']), 'ring of 3, last c');
});

test('a set is a plan of its own: ranks from 0, its hosts, the same bytes', () => {
  const own = planOfSet(plan, [1, 3]);
  assert.deepEqual(
    [own.ranks, own.hosts],
    [
      2,
      [
        { name: 'h1', ranks: [0] },
        { name: 'h3', ranks: [1] },
      ],
    ],
  );
  assert.deepEqual(
    own.points.map(({ count, axes }) => [count, axes.bytes]),
    [
      [1, 8],
      [1024, 8192],
    ],
  );
  const ring = planOfSet(plan, [0, 1, 2, 3], true);
  assert.deepEqual([ring.algorithm, ring.points[1]?.count, ring.points[1]?.axes.bytes], ['ring', 512, 8192]);
  assert.equal('pairs' in own, false);
});

test('GPUs of one machine go with their ranks', () => {
  const one = { ...plan, engine: 'nccl' as const, hosts: [{ name: 'h', ranks: [0, 1, 2, 3] }] };
  assert.equal(planOfSet(one, [1, 3]).settings.gpus, '1,3');
  assert.equal(planOfSet({ ...one, settings: { gpus: '4,5,6,7' } }, [1, 3]).settings.gpus, '5,7');
});

test('what is expected and how long it takes follow from the blocks of the sets', () => {
  const sets = rankPairSets(sides(4), true);
  const cells =
    plan.transports.length * sets.reduce((sum, { kind }) => sum + blocksOfSet(plan, kind, 0).length, 0);
  assert.equal(expectedOf(plan, sets).cells, cells);
  const names = ['a', 'b', 'c', 'd'];
  const together = estimateSetsS(plan, { names, sets, isConcurrent: true });
  const apart = estimateSetsS(plan, { names, sets, isConcurrent: false });
  assert.ok(together < apart && together > 0);
});

test('pairs that are measured again come last, in rounds of disjoint ones', () => {
  const sets = rankPairSets(sides(4), true);
  const pairs = [
    [0, 1],
    [0, 2],
    [2, 3],
  ].map((ranks) => ({ kind: 'pair' as const, ranks }));
  const again = setsAgain(sets, [...pairs, { kind: 'ring', ranks: [0, 1, 2] }], sides(4));
  assert.deepEqual(
    again.map(({ round }) => round),
    [6, 7, 6, 8],
  );
  assert.equal(
    setName(again[0] ?? { kind: 'pair', ranks: [], round: 0 }, ['a', 'b', 'c', 'd']),
    'a - b, again',
  );
});

test('several ranks of a host: pairs between hosts, never two over one cable at a time, rings over the hosts', () => {
  const several = [[0, 1], [2, 3], [4]];
  const sets = rankPairSets(several, true);
  const pairs = sets.filter(({ kind }) => kind === 'pair');
  assert.deepEqual(pairs.map(({ ranks }) => ranks.join('-')).sort(), [
    '0-2',
    '0-3',
    '0-4',
    '1-2',
    '1-3',
    '1-4',
    '2-4',
    '3-4',
  ]);
  const hostOf = (rank: number) => several.findIndex((ranks) => ranks.includes(rank));
  const again = setsAgain(sets, pairs, several);
  for (const all of [pairs, again]) {
    for (const { round } of all) {
      const busy = all.filter((set) => set.round === round).flatMap(({ ranks }) => ranks.map(hostOf));
      assert.equal(new Set(busy).size, busy.length, `round ${round}`);
    }
  }
  assert.deepEqual(
    sets.filter(({ kind }) => kind === 'ring').map(({ ranks }) => ranks),
    [
      [0, 2],
      [0, 2, 4],
    ],
  );
});

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
