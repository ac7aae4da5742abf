import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsTick } from '../../schema/index.ts';
import { LoadAlignment } from './align.ts';
import { CoreCompetition } from './competition.ts';
import { ChannelTable } from './names.ts';

const counter = { name: 'net.a.rxBytes', unit: 'bytes', cumulative: true };
const gauge = { name: 'gpu0.powerMilliwatt', unit: 'milliwatt', cumulative: false };
const tick = (startNs: number, ...values: (number | null)[]): MetricsTick => ({ startNs, costNs: 1, values });

function aligned(
  channels: (typeof counter)[],
  spans: [cell: number, fromNs: number, toNs: number][],
  ticks: MetricsTick[],
): LoadAlignment {
  const alignment = new LoadAlignment(
    channels,
    spans.map(([cell, fromNs, toNs]) => ({ cell, fromNs, toNs })),
  );
  for (const one of ticks) alignment.take(one);
  return alignment;
}

test('a counter grows in a cell by what lies between the readings, in proportion to time', () => {
  const at = aligned(
    [counter],
    [[0, 150, 350]],
    [tick(100, 0), tick(200, 10), tick(300, 110), tick(400, 120)],
  );
  const stats = at.of(0, 0);
  assert.ok(stats !== null);
  assert.equal(stats.coveredNs, 200);
  assert.equal(stats.delta, 5 + 100 + 5);
  assert.equal(stats.mean, (110 / 200) * 1e9);
  assert.deepEqual([stats.min, stats.max], [0.1e9, 1e9]);
  assert.deepEqual(at.reach(0), { touchedNs: 300, coveredNs: 200, ticks: 2 });
});

test('a gauge is its values within and next to the time of the cell, its mean by linear interpolation', () => {
  const at = aligned([gauge], [[0, 150, 200]], [tick(100, 10), tick(200, 20), tick(300, 99)]);
  const stats = at.of(0, 0);
  assert.ok(stats !== null);
  assert.equal(stats.mean, 17.5);
  assert.deepEqual([stats.min, stats.max, stats.delta], [10, 20, 0]);
});

test('two cells between the same readings share what was counted by their time', () => {
  const spans: [number, number, number][] = [
    [0, 100, 120],
    [1, 120, 180],
    [0, 180, 200],
  ];
  const at = aligned([counter], spans, [tick(100, 0), tick(200, 100)]);
  assert.equal(at.of(0, 0)?.delta, 40);
  assert.equal(at.of(1, 0)?.delta, 60);
  assert.equal(at.reach(0).touchedNs, 100, 'an interval counts once, however often the cell comes back');
});

test('cells of groups that were measured at the same time each have it in full', () => {
  const spans: [number, number, number][] = [
    [0, 100, 190],
    [1, 110, 130],
    [2, 150, 160],
  ];
  const at = aligned([counter], spans, [tick(100, 0), tick(120, 20), tick(155, 55), tick(200, 100)]);
  assert.deepEqual(
    [0, 1, 2].map((cell) => at.of(cell, 0)?.delta),
    [90, 20, 10],
  );
  assert.deepEqual(
    [0, 1, 2].map((cell) => at.reach(cell).ticks),
    [3, 1, 1],
  );
  assert.equal(at.measured(100, 200), 90);
  assert.equal(at.measured(185, 300), 5);
});

test('time before the first and after the last reading is not covered', () => {
  const at = aligned([counter], [[0, 0, 1000]], [tick(400, 7), tick(500, 8)]);
  assert.deepEqual(at.of(0, 0)?.coveredNs, 100);
  assert.equal(at.of(0, 0)?.delta, 1);
});

test('a channel that is read seldom is interpolated between its own readings', () => {
  const at = aligned(
    [counter, gauge],
    [[0, 110, 190]],
    [tick(100, 0, 5), tick(150, null, 6), tick(200, 100, 7)],
  );
  assert.equal(at.of(0, 0)?.delta, 80);
  assert.equal(at.of(0, 0)?.coveredNs, 80);
  assert.equal(at.of(0, 1)?.mean, 6);
});

test('a counter that runs backwards says nothing of that interval', () => {
  const at = aligned([counter], [[0, 100, 400]], [tick(100, 50), tick(200, 60), tick(300, 5), tick(400, 10)]);
  assert.equal(at.of(0, 0)?.delta, 15);
  assert.equal(at.of(0, 0)?.coveredNs, 200);
});

test('bits that were set at any reading are kept', () => {
  const bits = { name: 'gpu0.throttleReasons', unit: 'bits', cumulative: false };
  const at = aligned([bits], [[0, 100, 300]], [tick(100, 8), tick(200, 16), tick(300, 1)]);
  assert.equal(at.of(0, 0)?.max, 25);
});

test('nothing is known of a cell without readings, or of a value that was never read', () => {
  const at = aligned([counter, gauge], [[0, 10, 20]], [tick(100, 1, null), tick(200, 2, null)]);
  assert.equal(at.of(0, 0), null);
  assert.equal(at.of(0, 1), null);
  assert.deepEqual(at.reach(0), { touchedNs: 0, coveredNs: 0, ticks: 0 });
});

const cpu = [
  { name: 'cpu0.user', unit: 'ns', cumulative: true },
  { name: 'cpu0.system', unit: 'ns', cumulative: true },
  { name: 'rank0.cpuNs', unit: 'ns', cumulative: true },
];
function competing(spans: [number, number, number][], ticks: MetricsTick[]): CoreCompetition {
  const alignment = aligned(cpu, spans, ticks);
  const competition = new CoreCompetition(new ChannelTable(cpu), alignment);
  for (const one of ticks) competition.take(one);
  return competition;
}

test('what neither ranks nor the time between blocks explains was taken by others', () => {
  // An interval of 1000 ns with 800 measured: 900 busy, 500 of the rank; 200 may be collbench's own, 200 cannot.
  const at = competing([[0, 0, 800]], [tick(0, 0, 0, 0), tick(1000, 600, 300, 500)]);
  assert.equal(at.of(0), 0.2);
});

test('an interval with little measuring says nothing of others, nor does one without ranks', () => {
  assert.equal(competing([[0, 0, 200]], [tick(0, 0, 0, 0), tick(1000, 999, 0, 0)]).of(0), null);
  assert.equal(competing([[0, 0, 900]], [tick(0, 0, 0, null), tick(1000, 999, 0, null)]).of(0), null);
});
