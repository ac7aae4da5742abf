import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testBlock } from '../../testing/block.ts';
import { testPlan, testPoint } from '../../testing/plan.ts';
import { deriveCell } from '../cells/cell.ts';
import {
  notReached,
  overview,
  type PairFigure,
  type PairFinding,
  pairsOfFinding,
  pairsOverview,
  type RingFigure,
} from './pairs.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** All pairs with 10 GB/s and 5 us, except for the figures that `parts` replaces. */
function pairsWith(parts: (a: string, b: string) => Partial<PairFigure> = () => ({})): PairFigure[] {
  return names.flatMap((a, i) =>
    names.slice(i + 1).map((b) => {
      const pair = { latencyNs: 5000, fastNs: 4500, GBps: 10, reason: null, ...parts(a, b) };
      return { a, b, timeNs: pair.GBps === null ? null : 1e6 / pair.GBps, ...pair };
    }),
  );
}
const ringsOf = (rates: readonly (number | null)[], reason = 'it hung'): RingFigure[] =>
  rates.map((GBps, i) => ({
    ranks: i + 2,
    last: names[i + 1] ?? '?',
    GBps,
    reason: GBps === null ? reason : null,
  }));
const dropOf = (...rates: (number | null)[]) =>
  overview('socket', names, pairsWith(), ringsOf(rates)).ringDrop;
const found = (pairs: PairFigure[]) => overview('socket', names, pairs, []).findings;

test('a slow host is found with the figure of its pairs and that of all others', () => {
  const slow = found(pairsWith((a, b) => (a === 'c' || b === 'c' ? { GBps: 4 } : {})));
  assert.deepEqual(slow, [{ kind: 'host', measure: 'bandwidth', names: ['c'], value: 4, typical: 10 }]);
});

test('what decides a finding: the slow pair, or the pairs of the slow host that ran', () => {
  const all = pairsWith((a, b) => {
    if (a === 'a' && b === 'c') return { GBps: null, latencyNs: null, fastNs: null, reason: 'it hung' };
    return a === 'c' || b === 'c' || (a === 'd' && b === 'f') ? { GBps: 4 } : {};
  });
  const host: PairFinding = { kind: 'host', measure: 'bandwidth', names: ['c'], value: 4, typical: 10 };
  const keys = (finding: PairFinding) => pairsOfFinding(finding, all).map(({ a, b }) => a + b);
  assert.deepEqual(keys(host), ['bc', 'cd', 'ce', 'cf']);
  assert.deepEqual(keys({ ...host, kind: 'pair', names: ['d', 'f'] }), ['df']);
  assert.deepEqual(keys({ ...host, kind: 'pair', names: ['a', 'c'], value: null }), ['ac']);
});

test('a pair that is slow, and one that does not run, each by itself', () => {
  const [first, ...rest] = found(pairsWith((a, b) => (a === 'b' && b === 'd' ? { GBps: 3 } : {})));
  assert.deepEqual([first?.kind, first?.names, first?.value, rest], ['pair', ['b', 'd'], 3, []]);
  const dead = pairsWith((a, b) =>
    a === 'b' && b === 'd' ? { GBps: null, latencyNs: null, fastNs: null } : {},
  );
  assert.deepEqual(found(dead), [
    { kind: 'pair', measure: 'bandwidth', names: ['b', 'd'], value: null, typical: 10 },
  ]);
});

test('a host that answers late: in the median and in the fastest samples, or it is not accused', () => {
  const late = (fastNs: number) =>
    pairsWith((a, b) => (a === 'e' || b === 'e' ? { latencyNs: 20_000, fastNs } : {}));
  assert.deepEqual(
    found(late(18_000)).map(({ kind, measure, names: [name] }) => [kind, measure, name]),
    [['host', 'latency', 'e']],
  );
  assert.deepEqual(found(late(4500)), []);
});

test('names of one machine: nothing between them is accused, nor a ring that leaves it, and three machines are due', () => {
  const slow = pairsWith((a, b) => (a === 'b' && b === 'd' ? { GBps: 3 } : {}));
  const drop = ringsOf([26, 24.1, 2.93, 2.99, 2.89]);
  const two = overview('socket', names, slow, drop, 'host', [['b', 'd']]);
  assert.deepEqual([two.findings, two.ringDrop, two.hasVerdict], [[], null, true]);
  const apart = overview('socket', names, slow, drop, 'host', [['a', 'b']]);
  assert.deepEqual(
    apart.findings.map(({ names: pair }) => pair),
    [['b', 'd']],
  );
  const one = overview('socket', names, slow, drop, 'host', [names]);
  assert.deepEqual([one.findings, one.ringDrop, one.hasVerdict], [[], null, false]);
});

test('the ring: steady, a drop at one addition, a slow decline, an end', () => {
  assert.equal(dropOf(10, 9.9, 10, 9.8, 9.9), null);
  assert.deepEqual(dropOf(26, 24.1, 2.93, 2.99, 2.89), {
    ranks: 4,
    last: 'd',
    fromGBps: 25.05,
    toGBps: 2.93,
  });
  assert.equal(dropOf(10, 9, 8, 7, 6)?.last, null);
  assert.equal(dropOf(10, 5, 10, 10, 10), null, 'one ring that was slow by chance');
  assert.deepEqual(dropOf(10, 10, null, null), { ranks: 4, last: 'd', fromGBps: 10, toGBps: null });
  const stopped = overview('socket', names, pairsWith(), ringsOf([10, 10, null], 'it was not reached'));
  assert.equal(stopped.ringDrop, null);
});

test('two names give no verdict', () => {
  const two = overview('socket', ['a', 'b'], pairsWith().slice(0, 1), []);
  assert.deepEqual([two.hasVerdict, two.findings], [false, []]);
});

test('a pair that was slow once and not again is not accused; one that was not reached is no finding', () => {
  const plan = testPlan({
    ranks: 2,
    points: [
      testPoint({ collective: 'allgather', op: null, count: 1 }),
      testPoint({ collective: 'allgather', op: null, count: 64 }),
    ],
  });
  plan.transports.splice(1);
  plan.pairs = {
    names: ['a', 'b'],
    isConcurrent: true,
    sets: [
      { kind: 'pair', ranks: [0, 1], round: 0 },
      { kind: 'pair', ranks: [0, 1], round: 1, isAgain: true },
    ],
  };
  const cells = [40_000, 10_000].flatMap((ns, index) => {
    const block = testBlock(new Array(20).fill(ns), { point: 1, trial: 'pipelined' });
    const cell = deriveCell(plan, 1, 0, [block]);
    return [{ ...cell, group: { rule: 'pairs', index, name: 'a - b', ranks: [0, 1] } }];
  });
  assert.deepEqual(
    pairsOverview(plan, cells)[0]?.pairs.map(({ timeNs }) => timeNs),
    [10_000],
  );
  assert.deepEqual(
    pairsOverview(plan, cells.slice(0, 1))[0]?.pairs.map(({ timeNs }) => timeNs),
    [40_000],
  );
  const stopped = pairsWith((a) =>
    a === 'a' ? { GBps: null, latencyNs: null, fastNs: null, reason: notReached } : {},
  );
  assert.deepEqual(found(stopped), []);
});
