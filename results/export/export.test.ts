import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell, missingCell } from '../derive/cell.ts';
import type { CellRecord } from '../schema/index.ts';
import { testBlock } from '../testing/block.ts';
import { testPlan } from '../testing/plan.ts';
import { cellsToCsv, cellsToNdjson, csvColumns } from './index.ts';

const plan = testPlan();
const cells: CellRecord[] = [
  deriveCell(plan, 0, 0, [
    testBlock(new Array(20).fill(1024)),
    testBlock(new Array(20).fill(5120), { trial: 'pipelined', batch: 5 }),
  ]),
  missingCell(plan, 0, 1, 'failed', '=HYPERLINK("x"), "quoted"'),
];

test('CSV: one row per cell and trial kind, one for a cell without figures, units in the head', () => {
  const lines = cellsToCsv(cells).trimEnd().split('\n');
  assert.equal(lines.length, 4);
  assert.equal(lines[0], csvColumns.join(','));
  const value = (line: number, column: string) => lines[line]?.split(',')[csvColumns.indexOf(column)];
  assert.deepEqual([value(1, 'trial'), value(2, 'trial'), value(3, 'trial')], ['isolated', 'pipelined', '']);
  assert.deepEqual(
    [value(1, 'median_ns'), value(1, 'alg_gb_per_s'), value(1, 'medium')],
    ['1024', '1', 'emulated'],
  );
  assert.equal(value(2, 'batch'), '5');
  assert.equal(value(3, 'status'), 'failed');
});

test('CSV: text that a spreadsheet would compute is escaped, quotes are doubled', () => {
  assert.ok(cellsToCsv(cells).includes(`"'=HYPERLINK(""x""), ""quoted"""`));
});

test('every column with a time or rate names its unit', () => {
  for (const column of csvColumns.filter((name) => /median|_p\d|^p\d|low|high|min_|max_/.test(name))) {
    assert.match(column, /_ns$/);
  }
});

test('NDJSON: one cell per line, as stored', () => {
  const lines = cellsToNdjson(cells).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    cells,
  );
});
