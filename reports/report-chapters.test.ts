import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketPlan, syntheticRun } from './fixtures/synthetic.ts';
import { withVariants } from './fixtures/variants.ts';
import { buildPage } from './html/page.ts';
import { chaptersOf } from './report-chapters.ts';
import { groupsOf } from './series.ts';

const one = syntheticRun({ collectives: ['reduce'], transports: [socketPlan], maxBytes: 64 });
const ops = ['sum', 'prod', 'min', 'max', 'avg'];
const twenty = withVariants(
  one,
  ops.flatMap((op) => [0, 1].flatMap((root) => [false, true].map((inPlace) => ({ op, root, inPlace })))),
);

test('few series have a chapter each', () => {
  const groups = groupsOf([
    withVariants(
      one,
      ops.map((op) => ({ op })),
    ),
  ]);
  assert.deepEqual(
    chaptersOf(groups).map(({ group, of }) => [group, of.length]),
    groups.map((group) => [group, 1]),
  );
});

test('of twenty series operations and placements share a chart: each line has its name and its look', () => {
  const chapters = chaptersOf(groupsOf([twenty]));
  assert.deepEqual(
    chapters.map(({ group, of }) => [group.title, of.length]),
    [
      ['reduce float32 root 0', 10],
      ['reduce float32 root 1', 10],
    ],
  );
  const { series } = chapters[0]?.group ?? { series: [] };
  assert.deepEqual(
    series.slice(0, 3).map(({ label }) => label),
    ['sum, out of place', 'sum, in place', 'prod, out of place'],
  );
  assert.equal(new Set(series.map(({ colour, shape }) => `${colour} ${shape}`)).size, 10);
  assert.equal(new Set(series.map(({ key }) => key)).size, 10);
});

test('its page counts the series once, and has two charts a chapter, each in two panels', async () => {
  const { html, figures } = await buildPage([twenty]);
  assert.match(html, /20 series of collectives were measured/);
  assert.doesNotMatch(html, /One series was measured/);
  assert.equal(figures.filter(({ figure }) => figure.name.startsWith('reduce-float32-r')).length, 8);
});
