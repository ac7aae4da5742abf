import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stencilRun } from '../fixtures/workloads.ts';
import { chaptersOf } from '../report-chapters.ts';
import { groupsOf, type SeriesGroup } from '../series.ts';
import { type ChartFigure, chartsOf } from './index.ts';
import { renderSvg } from './render.ts';

function drawn(group: SeriesGroup | undefined, id: string): ChartFigure | null {
  assert.ok(group !== undefined);
  const chart = chartsOf(group.row).find((one) => one.id === id);
  assert.ok(chart !== undefined);
  return chart.draw(group);
}

test('runs that differ in the number of ranks: speed-up and efficiency against the one with fewest', async () => {
  const [group] = groupsOf([stencilRun(4), stencilRun(1), stencilRun(2)]);
  const figure = drawn(group, 'speedup');
  assert.ok(figure !== null);
  assert.equal(figure.name, 'stencil-iteration-strong-float32-host-speedup');
  assert.match(figure.caption, /update rate of 1 rank .*Dashed lines are emulated/);
  const of = (series: string) => figure.rows.filter((row) => row.series === series);
  assert.deepEqual(
    of('socket, grid 64').map(({ ranks }) => ranks),
    [1, 2, 4],
  );
  // The time is 4096 ns on one rank, 2048 + 4000 ns on two.
  const two = of('socket, grid 64')[1];
  assert.ok(Math.abs(Number(two?.speedup) - 4096 / 6048) < 0.03, String(two?.speedup));
  assert.ok(Math.abs(Number(two?.efficiency) - 4096 / 6048 / 2) < 0.02);
  // The time is 262144 ns on one rank, 65536 + 1000 ns on four.
  const four = of('sisci (emulated), grid 512')[2];
  assert.ok(Math.abs(Number(four?.speedup) - 262_144 / 66_536) < 0.1, String(four?.speedup));
  assert.ok(Number(four?.low) < Number(four?.speedup) && Number(four?.speedup) < Number(four?.high));
  const svg = await renderSvg(figure.spec('wide'), {
    title: figure.title,
    description: figure.caption,
    idPrefix: 'f1',
  });
  assert.match(svg, /socket, grid 512/);
});

test('without two numbers of ranks there is no speed-up', () => {
  const [group] = groupsOf([stencilRun(2)]);
  assert.equal(drawn(group, 'speedup'), null);
});

test('an iteration and its parts share a chart; rates of one of them have no line for the others', () => {
  const groups = groupsOf([stencilRun(2, ['iteration', 'halo', 'update'])]);
  assert.equal(groups.length, 3);
  const chapters = chaptersOf(groups);
  assert.deepEqual(
    chapters.map(({ group, of }) => [group.title, of.length]),
    [['stencil strong float32 host', 3]],
  );
  const lines = (id: string) => [
    ...new Set(drawn(chapters[0]?.group, id)?.rows.map(({ series }) => String(series))),
  ];
  assert.deepEqual(lines('time'), [
    'iteration over socket',
    'iteration over sisci',
    'halo over socket',
    'halo over sisci',
    'update over socket',
    'update over sisci',
  ]);
  assert.equal(lines('updates').length, 4);
  assert.deepEqual(lines('exchanged'), ['halo over socket', 'halo over sisci']);
  assert.equal(chaptersOf(groupsOf([stencilRun(2)]))[0]?.of.length, 1);
});
