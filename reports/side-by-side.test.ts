import assert from 'node:assert/strict';
import { test } from 'node:test';
import { derivedOf } from '../results/schema/index.ts';
import { groupedRun } from './fixtures/side-by-side.ts';
import { socketPlan, syntheticRun, withFigures } from './fixtures/synthetic.ts';
import { buildPage } from './html/page.ts';
import { groupsOf, isOk, type SeriesGroup } from './series.ts';
import { comparisonsOf } from './series-comparison.ts';
import { sideBySideOf, sideBySideSentences } from './side-by-side.ts';
import { summarise } from './summary.ts';

const only = (groups: readonly SeriesGroup[]): SeriesGroup => {
  assert.equal(groups.length, 1);
  return groups[0] as SeriesGroup;
};

test('each transport has a series for each group of ranks, told apart by name and look', () => {
  const { series } = only(groupsOf([groupedRun({ maxBytes: 64 })]));
  assert.deepEqual(
    series.map(({ name }) => name),
    ['socket (gpu01)', 'socket (gpu<02>)', 'sisci (gpu01)', 'sisci (gpu<02>)'],
  );
  assert.equal(new Set(series.map(({ colour, shape }) => `${colour} ${shape}`)).size, 4);
  for (const { slots } of series) assert.ok(slots.every(({ cell }) => cell !== null));
});

test('transports are compared within a group of ranks, never across', () => {
  const pairs = comparisonsOf(only(groupsOf([groupedRun({ maxBytes: 64 })])));
  assert.deepEqual(
    pairs.map(({ a, b }) => [a.name, b.name]),
    [
      ['socket (gpu01)', 'sisci (gpu01)'],
      ['socket (gpu<02>)', 'sisci (gpu<02>)'],
    ],
  );
});

test('at each size: the slowest and the fastest, whether it is certain, the sum, the time side by side', () => {
  const all = sideBySideOf(only(groupsOf([groupedRun({ transports: [socketPlan], maxBytes: 64 })])));
  assert.deepEqual(
    all.map(({ x }) => x),
    [8, 16, 32, 64],
  );
  for (const one of all) {
    assert.equal(one.slowest.name, 'gpu<02>');
    assert.equal(one.fastest.name, 'gpu01');
    assert.ok(Math.abs(one.ratio - 1.5) < 1e-9);
    assert.ok(one.standsOut);
  }
  assert.deepEqual(
    all.map(({ overlap }) => overlap),
    [0.9, 0.9, 0.9, 0.25],
  );
  const [cell] = groupedRun({ transports: [socketPlan], maxBytes: 64 }).cells;
  assert.ok(cell !== undefined);
  const bus = derivedOf(cell, 'busbw', 'latency')?.value ?? 0;
  assert.equal(all[0]?.together?.of.name, 'busbw');
  assert.ok(Math.abs((all[0]?.together?.value ?? 0) - (bus + bus / 1.5)) < 1e-9);
});

test('one sentence per transport: who is slowest, what all do together, how far they met', () => {
  const groups = groupsOf([groupedRun({ transports: [socketPlan], maxBytes: 64 })]);
  assert.deepEqual(sideBySideSentences(groups).length, 1);
  assert.match(
    sideBySideSentences(groups)[0] ?? '',
    /^2 groups at the same time over socket: gpu<02> \(ranks 2, 3\) is slowest at every size, 1\.50x the time of gpu01 at 64 B; together .* of bus bandwidth at 64 B, the sum of all groups; side by side at least 25 % of the time$/,
  );
  assert.ok(summarise(groupedRun()).sentences.some((text) => text.startsWith('2 groups at the same time')));
});

test('where the intervals overlap nobody is called slowest', () => {
  const run = groupedRun({ transports: [socketPlan], maxBytes: 64 });
  const interval = { low: 1, high: 1e9, scope: 'launches' as const };
  const wide = run.cells.map((cell) =>
    isOk(cell) ? withFigures(cell, (one) => ({ ...one, interval })) : cell,
  );
  const [sentence = ''] = sideBySideSentences(groupsOf([{ ...run, cells: wide }]));
  assert.match(
    sentence,
    /no group is slowest beyond its interval at any size \(at 64 B gpu<02> comes last\)/,
  );
});

test('a run without groups of ranks says nothing of them; a size some group lacks is left out', () => {
  assert.deepEqual(sideBySideSentences(groupsOf([syntheticRun({ maxBytes: 64 })])), []);
  const run = groupedRun({ transports: [socketPlan], maxBytes: 64 });
  const groups = groupsOf([{ ...run, cells: run.cells.slice(1) }]);
  assert.deepEqual(
    sideBySideOf(only(groups)).map(({ x }) => x),
    [16, 32, 64],
  );
});

test('the report has a table of it and escapes names', async () => {
  const { html } = await buildPage([groupedRun({ maxBytes: 64 })]);
  assert.match(html, /Groups of ranks at the same time/);
  assert.match(html, /gpu&lt;02&gt;/);
  assert.ok(!html.includes('gpu<02>'));
  assert.match(html, /worked side by side for less than half of the time/);
});
