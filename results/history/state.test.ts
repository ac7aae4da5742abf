import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNormal } from '../testing/block.ts';
import { changeRules, findChanges } from './changes.ts';
import type { TimeLevel } from './levels.ts';
import type { HistoryNight } from './nights.ts';
import { nameOfGroup } from './series-name.ts';
import { stateOf, verdictsOf } from './state.ts';
import type { Trend } from './trend.ts';

const group =
  'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=socket;medium=hardware/small';

function trendFrom(z: readonly number[]): Trend {
  const nights = z.map((log, i): HistoryNight => {
    const time: TimeLevel = { log, interval: null, launches: 0 };
    const night = new Date(Date.UTC(2026, 2, 1 + i)).toISOString().slice(0, 10);
    return { night, time, anchor: null, ratio: null, runs: [], marks: [], open: [] };
  });
  const changes = findChanges(z, changeRules.smallest.time).map((change) => ({
    ...change,
    night: nights[change.at]?.night ?? '',
    foundNight: nights[change.foundAt]?.night ?? '',
    inAnchor: false,
  }));
  const starts = [0, ...changes.map(({ at }) => at)];
  const segments = starts.map((from, i) => ({ from, to: starts[i + 1] ?? z.length, log: 0 }));
  const leftOut = { unlike: 0, otherHosts: 0, open: 0, noCommit: 0, noAnchor: 0 };
  return {
    ...nameOfGroup(group),
    figure: 'latency',
    kind: 'time',
    by: 'day',
    open: [],
    nights,
    changes,
    segments,
    leftOut,
  };
}

const nightsOf = (seed: number, sd: number, at = 99, by = 0): number[] => {
  const normal = seededNormal(seed);
  return Array.from({ length: 30 }, (_, i) => 9 + sd * normal() + (i >= at ? Math.log1p(by) : 0));
};

test('a step of 12 % is of its night in 95 of 100 series, beside it in the others; noise of 15 % is red in 2 of 100 at most', () => {
  const series = 300;
  let [right, beside, red] = [0, 0, 0];
  for (let seed = 1; seed <= series; seed += 1) {
    const verdicts = verdictsOf(trendFrom(nightsOf(seed * 31 + 5, 0.01, 20, 0.12)));
    if (verdicts[20] === 'slower') right += 1;
    else if (verdicts[19] === 'slower' || verdicts[21] === 'slower') beside += 1;
    const noisy = verdictsOf(trendFrom(nightsOf(seed * 57 + 11, 0.15)));
    if (noisy.some((verdict) => verdict === 'slower' || verdict === 'faster')) red += 1;
  }
  assert.equal(right + beside, series);
  assert.ok(right >= 0.95 * series, `${right} of ${series}`);
  assert.ok(red <= 0.02 * series, `${red} of ${series}`);
});

test('only the night of a change has its colour; the nights after it are at its level', () => {
  const verdicts = verdictsOf(trendFrom(nightsOf(36, 0.01, 20, 0.12)));
  assert.deepEqual(
    verdicts
      .map((verdict, night) => (verdict === 'same' ? null : [night, verdict]))
      .filter((one) => one !== null),
    [[20, 'slower']],
  );
});

test('a change out of the nights asked for is no verdict of today', () => {
  const trend = trendFrom(nightsOf(36, 0.01, 14, 0.12));
  assert.equal(stateOf(trend, '2026-03-01').verdict, 'slower');
  const { verdict, change, step } = stateOf(trend, '2026-03-16');
  assert.deepEqual([verdict, change], ['same', null]);
  assert.ok(step !== null && step < 0.1, `${step}`);
});

test('a night that is much slower than those before it is not confirmed, however few or noisy they are', () => {
  const state = (logs: readonly number[]) => stateOf(trendFrom(logs), '');
  const slow = 9 + Math.log(20);
  const two = state([9, slow]);
  assert.deepEqual(
    [two.verdict, two.unconfirmed?.at, Math.round(two.unconfirmed?.ratio ?? 0)],
    ['unconfirmed', 1, 20],
  );
  assert.equal(state([9, 9, 9, slow, slow, slow, slow, slow]).unconfirmed?.at, 3);
  assert.deepEqual(verdictsOf(trendFrom([9, 9, slow])), ['no-verdict', 'no-verdict', 'unconfirmed']);
  assert.equal(state([...nightsOf(36, 0.01), slow]).verdict, 'unconfirmed');
  assert.equal(state([9, 9, slow, 9]).verdict, 'no-verdict', 'the newest night is fast again');
  assert.equal(state([9, 9.3]).verdict, 'no-verdict');
});

test('few nights, and nights in which only large changes would be seen, leave no verdict', () => {
  assert.equal(stateOf(trendFrom(nightsOf(36, 0.01).slice(0, 11)), '').verdict, 'no-verdict');
  const noisy = trendFrom(nightsOf(68, 0.15));
  assert.equal(stateOf(noisy, '').verdict, 'no-verdict');
  assert.deepEqual([...new Set(verdictsOf(noisy))], ['no-verdict']);
});
