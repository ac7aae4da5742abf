import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNormal } from '../testing/block.ts';
import { changeRules } from './changes.ts';
import type { TimeLevel } from './levels.ts';
import type { HistoryNight } from './nights.ts';
import { nameOfGroup } from './series-name.ts';
import { stateOf, unconfirmedStep, verdictsOf } from './state.ts';
import { stepsAndModes, type Trend } from './trend.ts';

const group =
  'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=socket;medium=hardware/small';

function trendFrom(z: readonly number[]): Trend {
  const nights = z.map((log, i): HistoryNight => {
    const time: TimeLevel = { log, interval: null, launches: 0 };
    const night = new Date(Date.UTC(2026, 2, 1 + i)).toISOString().slice(0, 10);
    return {
      night,
      time,
      anchor: null,
      ratio: null,
      again: null,
      runs: [],
      notes: [],
      warnings: [],
      open: [],
    };
  });
  const { steps, modes } = stepsAndModes(z, changeRules.smallest.time);
  const changes = steps.map((change) => ({
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
    sizes: [],
    nights,
    changes,
    segments,
    modes,
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

test('all nights of an uncertain change lie in its direction', () => {
  let found = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const normal = seededNormal(seed);
    const far = Array.from(
      { length: 6 },
      () => (normal() > -0.5 ? 1 : -1) * (0.15 + 0.2 * Math.abs(Math.sin(normal()))),
    );
    const logs = [...nightsOf(seed, 0.01), ...far.map((shift) => 9 + shift)];
    const step = unconfirmedStep(trendFrom(logs), { from: 0, to: logs.length });
    if (step === null) continue;
    found += 1;
    for (const log of logs.slice(step.at)) assert.ok((log - 9) * Math.log(step.ratio) > 0, `seed ${seed}`);
  }
  assert.ok(found >= 20, `${found} of 200 series have one`);
});

test('a newest night exactly at the level before is no change', () => {
  const trend = trendFrom([...Array.from({ length: 14 }, () => 9), 9.1, 9]);
  assert.equal(unconfirmedStep(trend, { from: 0, to: trend.nights.length }), null);
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

test('a large change that is over is kept, with its nights; scatter of a noisy series is none', () => {
  const slow = 9 + Math.log(39);
  const overIn = (logs: readonly number[]) =>
    stateOf(trendFrom(logs), '').past.map(({ at, overAt, ratio }) => [at, overAt, Math.round(ratio)]);
  assert.deepEqual(overIn([9, 9, slow, 9]), [[2, 3, 39]]);
  assert.deepEqual(overIn([9, slow, slow, slow, 9]), [[1, 4, 39]]);
  assert.deepEqual(overIn([...nightsOf(36, 0.01), slow, 9, 9, slow, 9]), [
    [30, 31, 39],
    [33, 34, 39],
  ]);
  assert.deepEqual(overIn([9, 9, slow]), [], 'it is not over');
  assert.deepEqual(overIn(nightsOf(68, 0.15)), []);
  const trend = trendFrom([9, 9, slow, 9]);
  assert.deepEqual(verdictsOf(trend), ['no-verdict', 'no-verdict', 'unconfirmed', 'no-verdict']);
  assert.deepEqual(stateOf(trend, trend.nights[3]?.night ?? '').past, [], 'before the requested night');
});

test('a newest night far outside the scatter is not "same", although it is not large', () => {
  const quiet = nightsOf(36, 0.01).slice(0, 20);
  const state = (factor: number) => stateOf(trendFrom([...quiet, 9 + Math.log(factor)]), '');
  assert.deepEqual(
    [1.02, 1.3, 2].map((factor) => state(factor).verdict),
    ['same', 'no-verdict', 'unconfirmed'],
  );
  assert.ok(Math.abs((state(1.3).unconfirmed?.ratio ?? 0) - 1.3) < 0.02);
});

test('a second measurement without load proves what one night shows', () => {
  const trend = trendFrom([...nightsOf(36, 0.01).slice(0, 20), 9 + Math.log(2)]);
  const newest = trend.nights.at(-1);
  assert.ok(newest !== undefined);
  const { log } = newest.time;
  const time: TimeLevel = { log, interval: { low: log - 0.1, high: log + 0.1 }, launches: 5 };
  newest.again = { time, ratio: null };
  assert.equal(stateOf(trend, '').verdict, 'slower');
  newest.warnings = ['cpu-busy'];
  assert.equal(stateOf(trend, '').verdict, 'unconfirmed');
  newest.warnings = [];
  newest.again = { time: { ...time, interval: { low: 9 - 0.1, high: log + 0.1 } }, ratio: null };
  assert.equal(stateOf(trend, '').verdict, 'unconfirmed');
});

test('few nights, and nights in which only large changes would be seen, leave no verdict', () => {
  assert.equal(stateOf(trendFrom(nightsOf(36, 0.01).slice(0, 11)), '').verdict, 'no-verdict');
  const noisy = trendFrom(nightsOf(68, 0.15));
  assert.equal(stateOf(noisy, '').verdict, 'no-verdict');
  assert.deepEqual([...new Set(verdictsOf(noisy))], ['no-verdict']);
});

test('a section with too few nights is as certain as the section before it', () => {
  const noisy = nightsOf(68, 0.15);
  const few = verdictsOf(trendFrom([...noisy, ...noisy.slice(0, 5).map((log) => log + Math.log(4))]));
  assert.deepEqual(
    [few[29], few[30], few.slice(31)],
    ['no-verdict', 'slower', ['no-verdict', 'no-verdict', 'no-verdict', 'no-verdict']],
  );
  const first = verdictsOf(trendFrom(nightsOf(36, 0.01, 10, 0.12)));
  assert.deepEqual(
    [...new Set(first.slice(0, 10))],
    ['no-verdict'],
    'no section before the first ten nights',
  );
  assert.deepEqual([first[10], ...new Set(first.slice(11))], ['slower', 'same']);
});

test('a machine that alternates between two modes has no change and no list of bad nights; beyond both is still one', () => {
  const normal = seededNormal(3);
  const z = Array.from({ length: 30 }, (_, i) => 9 + 0.01 * normal() + ((i * 7) % 5 < 2 ? Math.log(1.6) : 0));
  const state = stateOf(trendFrom(z), '');
  assert.deepEqual(
    [state.verdict, state.change, state.unconfirmed, state.past, trendFrom(z).modes.length],
    ['same', null, null, [], 1],
  );
  const slower = stateOf(trendFrom([...z, ...z.map((log) => log + Math.log(1.1))]), '');
  assert.deepEqual([slower.verdict, slower.change?.at], ['slower', z.length]);
  assert.equal(stateOf(trendFrom([...z, 9 + Math.log(1.6 * 1.6)]), '').verdict, 'unconfirmed');
});
