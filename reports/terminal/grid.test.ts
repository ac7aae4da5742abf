import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import { withVariants } from '../fixtures/variants.ts';
import type { ReportRun } from '../series.ts';
import { tableOfRun } from './run-table.ts';
import { createTable } from './table.ts';

const one = syntheticRun({ collectives: ['reduce'], transports: [socketPlan], maxBytes: 1024 });
const both = withVariants(one, [{ inPlace: false }, { inPlace: true }]);
const ops = ['sum', 'prod', 'min', 'max', 'avg'];
const many = withVariants(
  one,
  ops.flatMap((op) => [0, 1].flatMap((root) => [false, true].map((inPlace) => ({ op, root, inPlace })))),
);

const optionsOf = ({ record: { plan } }: ReportRun, columns: number) => ({ plan, columns, color: false });

function shown(run: ReportRun, columns: number): string[] {
  const options = optionsOf(run, columns);
  const foot = createTable(options).foot({ cells: run.cells, elapsedS: 1, reportPath: null });
  return `${createTable(options).head()}${tableOfRun(options, run.cells)}${foot}`.split('\n');
}

test('both placements stand in one row of 80 columns, as nccl-tests prints them', () => {
  const lines = shown(both, 80);
  const at = lines.findIndex((text) => /^ +out of place +in place$/.test(text));
  assert.deepEqual(lines[at + 1]?.split(/\s+/), 'size time ± busbw wrong time ± busbw wrong'.split(' '));
  const rows = lines.filter((text) => /^ +\d+K? /.test(text) && text.endsWith(' 0'));
  assert.equal(rows.length, 8);
  for (const row of rows) assert.match(row, /µs .* [kM]B\/s +0 .* µs .* [kM]B\/s +0$/);
});

test('a live row waits for the other placement; an interrupted run shows what it has', () => {
  const table = createTable(optionsOf(both, 80));
  assert.equal(table.isLive, true);
  const of = (point: number) => both.cells.filter((cell) => cell.point === point);
  assert.equal(table.row(0, of(0)), '');
  assert.match(table.row(1, of(1)), /^ +8 .* 0\n$/);
  const half = both.cells.filter(({ point }) => point !== 1);
  const first = tableOfRun(optionsOf(both, 80), half).split('\n')[0];
  assert.match(first ?? '', /^ +8 .* 0 +-$/);
  assert.equal(first?.match(/ µs /g)?.length, 1);
});

test('of twenty series operations are columns: a head for all, a block for each root and placement', () => {
  const lines = shown(many, 80);
  assert.equal(lines.filter((text) => text.includes('sum') && text.includes('avg')).length, 1);
  const titles = lines.filter((text) => /^reduce float32 root [01](, in place)?$/.test(text));
  assert.equal(titles.length, 4);
  assert.equal(lines.filter((text) => /^ +\d+K?( +\d\.\d\d µs){5}$/.test(text)).length, 4 * 8);
  assert.ok(lines.includes('Times alone. Intervals and rates: the report, or collbench export RUN.'));
  assert.ok(lines.length < 64, `${lines.length} lines`);
});

test('times alone say where data are wrong', () => {
  const wrong = { ...many, cells: many.cells.map((cell) => ({ ...cell })) };
  const [cell] = wrong.cells;
  assert.equal(cell?.status, 'ok');
  if (cell?.status === 'ok') cell.verification = { ...cell.verification, wrongElements: 3 };
  assert.equal(shown(wrong, 80).filter((text) => /^ +8 +WRONG /.test(text)).length, 1);
});

test('values that do not fit with their name stand below it, none cut off', () => {
  const roots = Array.from({ length: 6 }, (_, n) => 1_000_000 + n);
  const run = withVariants(
    one,
    roots.map((root) => ({ root })),
  );
  assert.ok(shown(run, 120).some((text) => /^size( +root \d{7}){6}$/.test(text)));
  const narrow = shown(run, 72);
  const at = narrow.findIndex((text) => /^ +root$/.test(text));
  assert.match(narrow[at + 1] ?? '', /^size( +\d{7}){6}$/);
});

for (const run of [both, many])
  for (const columns of [40, 60, 80, 100, 200])
    test(`${run === both ? 2 : 20} series: no line is longer than ${columns} columns`, () => {
      for (const text of shown(run, columns)) assert.ok(text.length <= columns, text);
    });
