import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syntheticRecord } from '../testing/run.ts';
import { type ComparableRun, compareRuns } from './compare-runs.ts';
import { gateOf } from './gate.ts';

const rule = { failOn: 'slower', visible: 0.1 } as const;
const gate = (
  other: ComparableRun,
  base = syntheticRecord({ seed: 3 }),
  by: Parameters<typeof gateOf>[1] = rule,
) => gateOf(compareRuns([base, other]), by);

test('equal runs pass, and it is told what would have been seen', () => {
  const { outcome, reasons } = gate(syntheticRecord({ id: 'bbbbbb', seed: 4 }));
  assert.equal(outcome, 'pass');
  assert.match(reasons[0] ?? '', /^smallest detectable change \d/);
});

test('slower is a regression; faster is one only when asked', () => {
  assert.equal(gate(syntheticRecord({ factor: () => 1.2 })).outcome, 'regression');
  const faster = syntheticRecord({ factor: () => 0.8 });
  assert.equal(gate(faster).outcome, 'pass');
  assert.equal(gate(faster, undefined, { ...rule, failOn: 'changed' }).outcome, 'regression');
});

test('wrong data are no pass', () => {
  const run = syntheticRecord({ id: 'bbbbbb' });
  const cells = run.cells.map((cell) =>
    cell.status === 'ok' ? { ...cell, verification: { ...cell.verification, wrongElements: 1 } } : cell,
  );
  assert.equal(gate({ ...run, cells }).outcome, 'wrong-data');
});

test('what is missing, untested or hidden by scatter gives no verdict', () => {
  const base = syntheticRecord();
  assert.match(
    gate({ ...base, cells: base.cells.slice(1) }, base).reasons[0] ?? '',
    /1 configurations are in one run only/,
  );
  assert.match(gate(syntheticRecord({ launches: 1 })).reasons[0] ?? '', /needs two launches/);
  const { outcome, reasons } = gate(
    syntheticRecord({ sd: 0.2, launches: 3 }),
    syntheticRecord({ sd: 0.2, launches: 3, seed: 9 }),
  );
  assert.equal(outcome, 'no-verdict');
  assert.match(reasons[0] ?? '', /too noisy, \d of 3 size ranges hide changes below \d+ %/);
});
