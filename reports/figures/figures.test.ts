import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { CellRecord } from '../../results/schema/index.ts';
import { refusalText } from '../../results/testing/refused.ts';
import { checklist, checkPrinted } from '../../tests/print/checklist.ts';
import { readSvg } from '../../tests/print/drawing.ts';
import { sisciPlan, socketPlan, syntheticRun, withFigures } from '../fixtures/synthetic.ts';
import { systemLoadRun } from '../fixtures/system-load.ts';
import { replayRun, trainRun } from '../fixtures/workloads.ts';
import type { ReportRun } from '../series.ts';
import { contentsOf } from './contents.ts';
import { drawerOf } from './draw.ts';
import { gather } from './gather.ts';
import { filesOf, type PaperTable, tableParts } from './paper.ts';
import { measureOf } from './pdf.ts';
import { indexTex, tableTex } from './tex.ts';
import { columnNames, type FigureTheme, themeOf } from './theme.ts';
import { parseConfig } from './theme-file.ts';
import { type FigureSetFiles, ThemeError, writeFigureSet } from './write.ts';

const collectives = ['allreduce', 'broadcast'] as const;
const sweep = () =>
  syntheticRun({
    collectives: [...collectives],
    transports: [socketPlan, sisciPlan],
    maxBytes: 2 ** 20,
    ranks: 4,
    launches: 4,
  });
const named = (run: ReportRun, id: string): ReportRun => ({ ...run, record: { ...run.record, id } });

/** Figure set that is drawn once, with every kind of figure. */
let folder = '';
let set: FigureSetFiles;
const note = '50 % of a_b & {c} #1';
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'collbench-figures-'));
  const run = sweep();
  run.record.notes = [note];
  set = await writeFigureSet([run, named(replayRun(), 'b7e501')], folder, themeOf('thesis'));
});
after(() => rm(folder, { recursive: true }));
const text = (name: string) => readFile(path.join(set.folder, name), 'utf8');

const contents = async (runs: readonly ReportRun[]) => contentsOf(await gather(runs, themeOf('thesis')));

/** Draws one figure for one column with another theme. */
async function drawnBy(theme: FigureTheme, name: string, run: ReportRun) {
  const { papers } = await contentsOf(await gather([run], theme));
  const paper = papers.find((one) => one.kind === 'figure' && one.name === name);
  assert.ok(paper?.kind === 'figure');
  const { draw, measure } = await drawerOf(theme);
  const names = { title: paper.title, description: paper.caption, id: 'one' };
  const { svg, pdf } = await draw(paper.panels({ theme, columns: 'one', measure }), names);
  return { name, columns: 'one' as const, svg, pdf, caption: paper.caption, measure };
}

test('every figure of collectives and steps passes the list for print, over one column and two', async () => {
  const figures = set.papers.filter(({ kind }) => kind === 'figure');
  assert.deepEqual(
    figures.map(({ name }) => name),
    [
      ...collectives.map((one) => `algbw-${one}`),
      ...collectives.map((one) => `busbw-${one}`),
      ...collectives.map((one) => `time-${one}`),
      'average-algbw',
      'average-busbw',
      'batch-time',
      'collective-time',
    ],
  );
  const measure = measureOf(themeOf('thesis').face);
  for (const { name, caption } of figures)
    for (const columns of columnNames) {
      const file = `${name}-${columns}`;
      const pdf = await readFile(path.join(set.folder, `${file}.pdf`));
      checkPrinted({ name: file, columns, svg: await text(`${file}.svg`), pdf, caption, measure });
    }
});

for (const name of ['default', 'talk'] as const)
  test(`theme ${name} passes the list, too`, async () => {
    for (const figure of ['algbw-allreduce', 'average-algbw']) {
      const printed = await drawnBy(themeOf(name), figure, sweep());
      const read = readSvg(printed.svg, printed.measure);
      // The talk theme is wider than a page.
      for (const [point, check] of Object.entries(checklist))
        if (name === 'default' || !point.startsWith('it is as wide')) check(printed, read);
    }
  });

const models = ['mobilenet_v3_large', 'efficientnet_b0'];
const manyWays = [...['p2p', 'shm'].map((name) => ({ ...socketPlan, name })), sisciPlan];

test('legends lie within the drawing beside long names', async () => {
  for (const name of ['default', 'thesis'] as const) {
    const printed = await drawnBy(themeOf(name), 'batch-time', trainRun(models, [8, 16], manyWays));
    const read = readSvg(printed.svg, printed.measure);
    for (const check of Object.values(checklist)) check(printed, read);
  }
});

test('what the names of all bars end with is in the caption', async () => {
  const { svg, measure, caption } = await drawnBy(
    themeOf('thesis'),
    'batch-time',
    trainRun(models, [8], manyWays),
  );
  const names = readSvg(svg, measure).texts.filter(({ text }) => /^(?:mobilenet|efficientnet)/.test(text));
  assert.deepEqual(names.map(({ text }) => text).sort(), ['efficientnet b0', 'mobilenet v3 large']);
  assert.match(caption, /All: image 64, batch 8\./);
});

test('what runs do not have is named with the command that measures it, and not drawn', async () => {
  const { papers, missing } = await contents([sweep()]);
  const names = missing.map(({ of, title }) => `${of} ${title}`);
  assert.deepEqual(names, ['figure Batch time', 'figure Collective time per batch', 'table System usage']);
  assert.match(missing[0]?.run ?? '', /^collbench replay resnet50/);
  assert.ok(papers.every(({ name }) => !/batch|collective-time|usage/.test(name)));
  assert.match(await text('figures.tex'), /% No table 'System usage': it needs [\s\S]*%\s+collbench replay/);
  assert.match(await text('captions.md'), /No table 'System usage'/);
});

test('LaTeX: the index includes files that are there, tables are for booktabs, names are escaped', async () => {
  const [index, captions, table] = [
    await text('figures.tex'),
    await text('captions.tex'),
    await text('hardware.tex'),
  ];
  const included = [...index.matchAll(/\\(?:includegraphics|input)\{\\figurefolder\/([\w-]+)\}/g)].map(
    ([, name]) => name,
  );
  const there = new Set((await readdir(set.folder)).map((name) => name.replace(/\.(?:pdf|tex)$/, '')));
  for (const name of included) assert.ok(there.has(`${name}`), `${name} is not there`);
  assert.ok(included.length >= 7, included.join(' '));
  for (const [, macro = ''] of index.matchAll(/\\caption(?:\[[^\]]*\])?\{(\\caption\w+)\}/g))
    assert.ok(captions.includes(`\\newcommand{${macro}}`), macro);
  assert.match(captions, /Note: 50~\\% of a\\_b \\& \\\{c\\\} \\#1\./);
  assert.match(table, /^\\begin\{tabular\}[\s\S]*\\toprule[\s\S]*\\midrule[\s\S]*\\bottomrule/);
  for (const one of [index, captions, table]) {
    assert.equal(one.replaceAll(/\\[{}]|[^{]/g, '').length, one.replaceAll(/\\[{}]|[^}]/g, '').length);
    assert.doesNotMatch(one, /[^\x20-\x7e\n]/);
  }
});

test('CSV is tidy: one observation a row with its unit, its interval and its n', async () => {
  const [head, first] = (await text('average-algbw.csv')).split('\n');
  assert.equal(
    head,
    'run,operation,ranks,series,transport,medium,firstBytes,lastBytes,sizes,measure,unit,value,low,high,launches,samples',
  );
  const [low = 0, value = 0, high = 0] = [12, 11, 13].map((at) => Number(first?.split(',')[at]));
  assert.ok(low > 0 && low < value && value < high);
});

test('system usage: means over blocks with their interval, of what the machines have', async () => {
  const { papers } = await contents([await systemLoadRun()]);
  const table = papers.find(({ kind, name }) => kind === 'table' && name === 'system-usage');
  assert.ok(table?.kind === 'table');
  assert.deepEqual(
    table.columns.slice(3).map(({ head }) => head),
    ['CPU (%)', 'Memory (%)', 'GPU (%)'],
  );
  for (const cells of table.cells) assert.match(cells[3] ?? '', /^\d+\.\d ± \d+\.\d$/);
  assert.match(table.caption, /n = \d.* Not read: Memory of a GPU\./);
});

test('a config of the user lies over the theme, its colours are those of the series', async () => {
  const config = parseConfig(
    '{"config": {"axis": {"labelFontSize": 11}, "range": {"category": ["#112233", "#ddeeff"]}}}',
    'mine.json',
  );
  const { svg, measure } = await drawnBy(themeOf('thesis', config), 'algbw-allreduce', sweep());
  const { texts, symbols } = readSvg(svg, measure);
  assert.deepEqual(
    symbols.map(({ fill }) => fill),
    ['#112233', '#ddeeff'],
  );
  for (const { roles, fontSize } of texts) if (roles.includes('role-axis-label')) assert.equal(fontSize, 11);
});

test('a figure that only the config of the user prevents is a fault of the theme, any other is not', async () => {
  const broken = themeOf('thesis', { axis: { labelFontSize: { signal: '(' } } });
  const drawWith = (plain: FigureTheme) =>
    writeFigureSet([sweep()], path.join(folder, 'broken'), broken, plain).then(
      () => 'drawn',
      (error: unknown) => (error instanceof ThemeError ? 'theme' : 'other'),
    );
  assert.equal(await drawWith(themeOf('thesis')), 'theme');
  assert.equal(await drawWith({ ...broken }), 'other');
});

test('a theme file that is none is refused with the reason and the place', () => {
  const refused = (text: string) => refusalText(() => parseConfig(text, 'mine.json'));
  assert.match(
    refused('{"axis": {\n"labelFontSize": 9,}}'),
    /mine\.json: no JSON: .*(?:line 2|position 29)/s,
  );
  assert.match(refused('[1]'), /mine\.json: no JSON: not an object in braces/);
  assert.match(refused('{"axsi": {}}'), /'axsi' is no key .*\n.*did you mean 'axis'\?/);
});

test('a table longer than a page is split; each part has its head, and no row is lost', () => {
  for (const rows of [1, 40, 41, 60, 200]) {
    const cells = Array.from({ length: rows }, (_, i) => [`row ${i}`, String(i)]);
    const table: PaperTable = {
      kind: 'table',
      name: 'long',
      title: 'Long',
      caption: 'Long.',
      rows: [],
      columns: [{ head: 'Name' }, { head: 'Value', isNumber: true }],
      cells,
    };
    const parts = tableParts(table);
    assert.equal(parts.length, filesOf(table).length);
    assert.ok(parts.every((part) => part.cells.length <= 40));
    assert.deepEqual(
      parts.flatMap((part) => part.cells),
      cells,
    );
    for (const part of parts) assert.match(tableTex(part), /Name & Value/);
    const index = indexTex([table], []);
    for (const file of filesOf(table)) assert.ok(index.includes(`\\figurefolder/${file}}`), file);
  }
});

test('whiskers far longer than the values are drawn on a logarithmic axis, as dots', async () => {
  const run = sweep();
  const wide = (cell: CellRecord): CellRecord =>
    cell.status === 'ok'
      ? withFigures(cell, (one) => ({
          ...one,
          launchValues: one.launchValues.map((value, i) => value * 8 ** (i - 1)),
          interval: { low: one.value / 20, high: one.value * 20, scope: 'launches' },
        }))
      : cell;
  run.cells = run.cells.map(wide);
  const printed = await drawnBy(themeOf('thesis'), 'average-busbw', run);
  const read = readSvg(printed.svg, printed.measure);
  assert.ok(read.texts.some(({ text }) => text.endsWith('(GB/s, log scale)')));
  for (const check of Object.values(checklist)) check(printed, read);
});
