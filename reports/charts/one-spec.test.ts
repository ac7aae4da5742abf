import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ncclRun, ncclSisciPlan, ncclSocketPlan, p2pPlan, sweepRun } from '../fixtures/nccl.ts';
import { syntheticPairs } from '../fixtures/pairs.ts';
import { groupedRun } from '../fixtures/side-by-side.ts';
import { sisciPlan, syntheticRun, syntheticTroubledRun } from '../fixtures/synthetic.ts';
import { systemLoadRun } from '../fixtures/system-load.ts';
import { nullRun, p2pRun } from '../fixtures/workloads.ts';
import { groupsOf, type ReportRun } from '../series.ts';
import { courseOf } from '../system-load/host-curves.ts';
import { averages, type ChartFigure, chartsOf, heatmap, meanwhileFigure, rings } from './index.ts';
import { compileBothForms } from './one-spec.ts';
import { renderBoth, renderSvg } from './render.ts';

const long = {
  softwareCard: 'softntb' as const,
  link: 'pcie-gen3-x8',
  queue: 'a name that is wider than the plot of a narrow chart',
};
const three = [p2pPlan, ncclSocketPlan, ncclSisciPlan];
const runs: Record<string, ReportRun> = {
  'two transports': syntheticRun({ maxBytes: 2 ** 20 }),
  'a single size': syntheticRun({ minBytes: 1024, maxBytes: 1024 }),
  'one series with a broken name': ncclRun({
    transports: [{ ...sisciPlan, detail: long }],
    maxBytes: 2 ** 16,
  }),
  'engine nccl': ncclRun({ transports: three, minBytes: 1024, maxBytes: 2 ** 28 }),
  'one series': ncclRun({ transports: [p2pPlan], maxBytes: 4096 }),
  'a sweep': sweepRun({ minBytes: 1024, maxBytes: 4096 }),
  'groups side by side': groupedRun({ maxBytes: 4096 }),
  'cells that failed': syntheticTroubledRun(),
  messages: p2pRun(2 ** 16),
  'no bytes': nullRun(),
};

function figuresOf(run: ReportRun): ChartFigure[] {
  const groups = groupsOf([run]);
  const charts = groups.slice(0, 1).flatMap((group) => chartsOf(group.row).map((chart) => chart.draw(group)));
  return [...charts.filter((figure) => figure !== null), ...averages(groups)];
}

const isSeen = (element: string): boolean =>
  !element.startsWith('<path class="background"') || / (?:fill|stroke)=/.test(element);

/**
 * Returns the elements in sorted order: ticks that both forms have stay in the order of the first form. Invisible frames may have
 * any size.
 */
const elements = (svg: string): string[] => svg.split(/(?=<)/).filter(isSeen).sort();

async function areAlike(figures: readonly ChartFigure[]): Promise<void> {
  for (const figure of figures) {
    const names = { title: figure.title, description: figure.caption };
    const both = { wide: { ...names, idPrefix: 'w' }, narrow: { ...names, idPrefix: 'n' } };
    const { wide, narrow } = await renderBoth(figure.spec, both);
    assert.equal(wide, await renderSvg(figure.spec('wide'), both.wide), figure.name);
    const alone = await renderSvg(figure.spec('narrow'), both.narrow);
    assert.deepEqual(elements(narrow), elements(alone), figure.name);
  }
}

for (const [name, run] of Object.entries(runs)) {
  test(`${name}: both forms are as if each were drawn by itself`, () => areAlike(figuresOf(run)));
}

test('system load and pairs: both forms are as if each were drawn by itself', async () => {
  const run = await systemLoadRun();
  const [series] = (await run.metrics?.()) ?? [];
  assert.ok(series !== undefined);
  const course = await courseOf(series, run.record.plan, run.cells);
  assert.ok(course !== null);
  const pairs = syntheticPairs(5, (a, b) => (a === 0 && b === 2 ? null : 1 + b));
  const figures = [meanwhileFigure(course, 'load'), heatmap(pairs, 'latency', true), rings(pairs, true)];
  await areAlike(figures.filter((figure) => figure !== null));
});

const bothOf = (wide: object, narrow: object) => compileBothForms(wide, narrow, (spec) => spec);

test('one view draws both forms of every chart over x', () => {
  const figures = figuresOf(ncclRun({ transports: three, maxBytes: 2 ** 20 })).filter(
    ({ name }) => name !== 'averages' && !name.endsWith('-calls'),
  );
  assert.ok(figures.length >= 4);
  for (const figure of figures)
    assert.notEqual(bothOf(figure.spec('wide'), figure.spec('narrow')), null, figure.name);
});

test('where more than sizes, ticks, labels and columns differ each form is drawn by itself', () => {
  const spec = { width: 640, layer: [{ mark: 'rule' }] };
  assert.equal(bothOf(spec, { ...spec, layer: [{ mark: 'text' }] }), null);
  assert.equal(bothOf(spec, { ...spec, layer: [] }), null);
  assert.deepEqual(bothOf(spec, { ...spec, width: 270 })?.narrowing.signals, [
    ['isNarrow', true],
    ['width', 270],
  ]);
});
