import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingCell } from '../results/derive/cells/cell.ts';
import type { CellRecord } from '../results/schema/index.ts';
import { testPlan } from '../results/testing/plan.ts';
import { syntheticRecord } from '../results/testing/run.ts';
import { syntheticRun } from './fixtures/synthetic.ts';
import { p2pRun, stencilRun } from './fixtures/workloads.ts';
import { runMarkdown } from './run-markdown.ts';

const hostile = 'a]]>b\u0000\u001b[31m"\'<x>&amp;|\\\nline\r `$(id)` é日本';
const { record, cells } = syntheticRecord({ sizes: [8, 65536], launches: 4 });
const [first, second, ...others] = cells;
assert.ok(first?.status === 'ok' && second?.status === 'ok');
const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('|'));

test('every row stays a row, and nothing that a machine says is markup', () => {
  const wrong: CellRecord = {
    ...second,
    verification: { ...second.verification, enabled: true, wrongElements: 7, comparedElements: 9 },
  };
  const failed = { ...missingCell(testPlan(), 1, 0, 'failed', hostile), point: first.point };
  const text = runMarkdown({ record: { ...record, title: hostile }, cells: [failed, wrong, ...others] });
  for (const table of text.split('\n\n')) {
    const [head = '', ...rows] = rowsOf(table);
    for (const row of rows) assert.equal(row.split('|').length, head.split('|').length, row);
  }
  assert.match(text, /^\| wrong data \| 64 KiB \|.*\| 7 \|/m);
  assert.match(text, /^\| failed \| 8 B \|.*line/m);
  assert.doesNotMatch(text, /<x>|\$\(id\)`|(?!\n)\p{Cc}/u);
  const linked = runMarkdown({ record: { ...record, title: 'see https://x.org, www.x.org' }, cells: [] });
  assert.doesNotMatch(linked, /:\/\/|www\./);
});

test('what was measured again is marked, and the mark is explained', () => {
  const retried = { point: first.point, transport: 0, flags: ['cpu-busy'], outcome: 'replaced' as const };
  const again = [{ attempt: 1, at: record.startedAt, cells: [{ ...retried, figures: {} }], leftOut: 0 }];
  const text = runMarkdown({ record: { ...record, retries: again }, cells });
  assert.match(text, /^\| \w+ \| 8 B \|.*\| &#42;[\d.]+ \|/m);
  assert.doesNotMatch(text, /^\| \w+ \| 64 KiB \|.*&#42;/m);
  assert.match(text, /&#42; 1 disturbed configuration measured again: 1 replaced by the second/);
  assert.doesNotMatch(runMarkdown({ record, cells }), /&#42;/);
});

test('each workload has its axes and figures as columns, over all transports in one table', () => {
  const headOf = (text: string) => rowsOf(text)[0] ?? '';
  const collective = runMarkdown(syntheticRun({ maxBytes: 64 }));
  assert.match(headOf(collective), /^\| verdict \| size \| over \| medium \|/);
  assert.match(collective, /^\| confirmed \| 8 B \| socket \|/m);
  assert.match(collective, /^\| \S+ \| 8 B \|.*\| EMULATED \|/m);
  assert.match(headOf(runMarkdown(p2pRun(64))), /\| bandwidth/);
  assert.match(headOf(runMarkdown(stencilRun(2))), /\| grid \|/);
});
