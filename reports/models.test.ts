import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OkCell } from '../results/schema/index.ts';
import { bytesOf, sisciPlan, slower, socketPlan, syntheticRun, withFigures } from './fixtures/synthetic.ts';
import { buildPage } from './html/page.ts';
import { modelText } from './model-document.ts';
import { modelFindings, modelSentences } from './models.ts';
import { groupsOf, type ReportRun } from './series.ts';
import { summarise } from './summary.ts';
import { finalTable } from './terminal/run-table.ts';

/** Returns the section of the page with this id. */
const section = (html: string, id: string) =>
  html.slice(html.indexOf(`<section id="${id}">`)).split('</section>')[0] ?? '';
const findingsOf = (run: ReportRun) => modelFindings(groupsOf([run]));

/** Multiplies the latency of the cells, and its intervals, by a factor. */
function changed(run: ReturnType<typeof syntheticRun>, factor: (cell: OkCell) => number) {
  run.cells = run.cells.map((cell) => {
    if (cell.status !== 'ok') return cell;
    return withFigures(cell, (one) => (one.name === 'latency' ? slower(one, factor(cell)) : one));
  });
  return run;
}

test('a sentence per series begins with the word model and names emulated media', () => {
  const [socket, sisci, ...rest] = modelSentences(groupsOf([syntheticRun({ maxBytes: 2 ** 20 })]));
  assert.equal(rest.length, 0);
  assert.match(
    socket ?? '',
    /^model of socket: latency 4\.7\d µs, saturation at 3\.7\d GB\/s, half of it from 17\.\d KiB; \d lines?, off by \d\.\d % at most$/,
  );
  assert.match(sisci ?? '', /^model of sisci \(emulated\): latency 0\.5\d\d µs, saturation at 7\.\d+ GB\/s/);
});

test('three sizes make no model, no section and no line in a chart', async () => {
  const run = syntheticRun({ maxBytes: 32 });
  assert.deepEqual(modelSentences(groupsOf([run])), []);
  const { html } = await buildPage([run]);
  assert.doesNotMatch(html, /id="models"|model: fitted lines/);
});

test('the report has the parameters, all lines and the model in its charts, marked as model', async () => {
  const { html, figures } = await buildPage([syntheticRun()]);
  const models = section(html, 'models');
  assert.match(models, /<b>Model, not measured\.<\/b>/);
  assert.match(models, /sisci <span class="emu">emulated<\/span>/);
  assert.match(models, /5 launches are needed, the run has 2/);
  assert.match(models, /All lines of the models/);
  for (const id of ['busbw', 'time'])
    assert.match(figures.find((f) => f.figure.name.endsWith(id))?.svg ?? '', />model: fitted lines</, id);
});

test('where no lines fit, only collbench model says so: page, foot and record of the run have no word about models', async () => {
  const run = changed(syntheticRun({ maxBytes: 8192 }), ({ point }) => (point % 2 === 0 ? 1 : 1.6));
  const groups = groupsOf([run]);
  assert.match(
    modelText(groups, 100, null),
    /no model of socket: the fit misses \S+ \S+ by \d+ %\s+\(limit 10 %\)/,
  );
  const { html } = await buildPage([run]);
  const { foot } = finalTable(run, { columns: 100, color: false }, 9, null);
  for (const text of [html, foot, ...summarise(run).sentences])
    assert.doesNotMatch(text, /id="models"|model of|misses/i);
});

test('a ceiling that is known is what saturation is held against', async () => {
  const link = { ...sisciPlan, detail: { softwareCard: 'softntb' as const, link: 'pcie-gen3-x8' } };
  const run = syntheticRun({ transports: [socketPlan, link] });
  assert.match(modelSentences(groupsOf([run])).join('\n'), /\d+ % of PCIe gen 3 x8: 7\.88 GB\/s/);
  const { html } = await buildPage([run]);
  assert.match(section(html, 'models'), /of ceiling/);
});

test('a dip is a finding of the report, with both sizes', async () => {
  const run = changed(syntheticRun({ maxBytes: 8192, transports: [socketPlan] }), (cell) =>
    bytesOf(cell) === 1024 ? 2 : 1,
  );
  const [dip, ...rest] = findingsOf(run);
  assert.equal(rest.length, 0);
  assert.deepEqual([dip?.kind, dip?.xs], ['dip', [1024]]);
  const { html } = await buildPage([run]);
  assert.match(
    section(html, 'findings'),
    /<td class="t">dip<\/td><td class="t">[^<]* over socket, 1 KiB<\/td><td class="w">takes \S+ µs where 2 KiB takes/,
  );
});

test('a collective that others replace is a finding; without trouble there is none', () => {
  const collectives = ['allreduce', 'reducescatter', 'allgather'] as const;
  const good = () =>
    syntheticRun({ collectives: [...collectives], maxBytes: 8192, transports: [socketPlan] });
  assert.deepEqual(findingsOf(good()), []);
  const [only, ...rest] = findingsOf(
    changed(good(), ({ axes }) => (axes.collective === 'allreduce' ? 3 : 1)),
  );
  assert.equal(rest.length, 0);
  assert.equal(only?.kind, 'slower than its parts');
  assert.match(only?.why ?? '', /of what reducescatter and allgather take together \(/);
  assert.equal(only?.xs.length, 11);
});

test('bandwidth above an emulated link is a finding, at the sizes where no interval excuses it', () => {
  const link = { ...sisciPlan, detail: { softwareCard: 'softntb' as const, link: 'pcie-gen3-x8' } };
  const run = changed(syntheticRun({ transports: [link] }), (cell) => (bytesOf(cell) === 2 ** 24 ? 0.5 : 1));
  const found = findingsOf(run).filter(({ kind }) => kind === 'faster than the link');
  assert.deepEqual(
    found.map(({ xs }) => xs),
    [[2 ** 24]],
  );
});
