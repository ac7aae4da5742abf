import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readForeign } from '../../results/import/read.ts';
import { runOf } from '../../results/import/to-run.ts';
import { headlineOf, imported } from '../../results/schema/index.ts';
import { fixtures, importHints, readFixture } from '../../results/testing/foreign.ts';
import { formatTime } from '../wording.ts';
import { tableOfRun } from './run-table.ts';
import { createTable } from './table.ts';

const origin = { command: [], format: 'x', file: { name: 'x', bytes: 1, sha256: '' }, label: null };

for (const [name, fixture] of Object.entries(fixtures)) {
  test(`${name}: the table of its run shows every time, at any width`, () => {
    const { plan, cells } = runOf(readForeign(readFixture(name), importHints(fixture.hints)).found, origin);
    const times = cells.flatMap((cell) => {
      const figure = cell.status === 'ok' ? headlineOf(imported, cell) : null;
      return figure === null ? [] : formatTime(figure.value);
    });
    for (const columns of [80, 120]) {
      const rows = tableOfRun({ plan, columns, color: false }, cells);
      const shown = [...new Set(times)].filter((time) => !rows.includes(time));
      assert.deepEqual(shown, [], `${columns} columns`);
    }
  });
}

test('a run without times names what it is instead', () => {
  const { plan } = runOf(readForeign(readFixture('param-made.json'), importHints()).found, origin);
  assert.match(createTable({ plan, columns: 100, color: false }).head(), /^calls without times · 2 ranks/);
});
