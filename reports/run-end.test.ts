import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureWith, type RunRecord } from '../results/schema/index.ts';
import { syntheticRun } from './fixtures/synthetic.ts';
import { runEndText } from './run-end.ts';

const { record, cells } = syntheticRun();
const resume = `collbench resume ${record.id}`;
const ended = (next: string): RunRecord => ({
  ...record,
  failures: [failureWith({ kind: 'interrupted', message: 'interrupted', details: [], next })],
});

test('figures of configurations that were not finished are kept, and the text says so', () => {
  const half = cells.map((cell, i) =>
    cell.status === 'ok' && i % 2 === 0
      ? { ...cell, flags: [{ name: 'interrupted' as const, level: 'note' as const, reason: null }] }
      : cell,
  );
  const text = runEndText(ended('collbench show last'), half, `collbench-runs/x-${record.id}`);
  const expected = record.plan.expected.cells;
  assert.match(
    text,
    new RegExp(`\\n${expected} of ${expected} configurations are kept in run .*: \\d+ finished, \\d+ with`),
  );
  assert.match(text, /\nResume it: collbench resume /);
});

test('the command that resumes a run is printed once', () => {
  const few = cells.slice(0, 3);
  const dir = `collbench-runs/x-${record.id}`;
  const text = runEndText(ended(resume), few, dir);
  assert.equal(text.split('collbench resume').length - 1, 1, text);
});
