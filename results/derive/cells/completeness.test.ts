import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell, missingCell } from './cell.ts';
import { completeness } from './completeness.ts';

const plan = testPlan({ expected: { cells: 4, checks: 16 } });

function measured(point: number, transport: number): CellRecord {
  const block = (trial: 'isolated' | 'pipelined') =>
    testBlock(new Array(20).fill(1000), { point, transport, trial, checks: [1, 1] });
  return deriveCell(plan, point, transport, [block('isolated'), block('pipelined')]);
}

const all = [0, 1].flatMap((point) => [0, 1].map((transport) => measured(point, transport)));

test('everything planned was measured and verified', () => {
  const result = completeness(plan, all);
  assert.equal(result.complete, true);
  assert.equal(result.cellsMeasured, 4);
  assert.equal(result.checks, 16);
  assert.deepEqual(result.missing, []);
});

test('what is missing is named with its reason', () => {
  const cells = [all[0], all[1], missingCell(plan, 1, 0, 'failed', 'rank 1 died')].flatMap(
    (cell) => cell ?? [],
  );
  const result = completeness(plan, cells);
  assert.equal(result.complete, false);
  assert.deepEqual(
    result.missing.map(({ name, reason }) => `${name}: ${reason}`),
    ['allreduce 1 MiB over socket: rank 1 died', 'allreduce 1 MiB over sisci: no record of it'],
  );
});

test('a cell with one trial kind only is half missing', () => {
  const half = deriveCell(plan, 0, 0, [testBlock(new Array(20).fill(1000))]);
  const result = completeness(plan, [half, ...all.slice(1)]);
  assert.deepEqual(
    result.missing.map(({ reason }) => reason),
    ['no pipelined samples'],
  );
});

test('fewer checks than planned, or a cell that was never verified, is not complete', () => {
  const unchecked = deriveCell(plan, 0, 0, [
    testBlock(new Array(20).fill(1000), { checks: [0, 0] }),
    testBlock(new Array(20).fill(1000), { trial: 'pipelined', checks: [0, 0] }),
  ]);
  const result = completeness(plan, [unchecked, ...all.slice(1)]);
  assert.equal(result.complete, false);
  assert.equal(result.unverified.length, 1);
  assert.equal(result.checks, 12);
});
