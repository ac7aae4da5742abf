import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell } from '../../results/derive/index.ts';
import type { CellRecord, RunPlan } from '../../results/schema/index.ts';
import { testBlock } from '../../results/testing/block.ts';
import { testPlan } from '../../results/testing/plan.ts';
import { firstTime, secondTime } from './retrying.ts';

function planOf(budgetS: number): RunPlan {
  const { sampling } = testPlan();
  const adaptive = { precision: 0.01, budgetS, slotS: 1, maxLaunches: 3 };
  return testPlan({ sampling: { ...sampling, launches: 3, retryFlagged: true, adaptive } });
}

/** Every cell but those of the first transport is disturbed. */
const cellsOf = (plan: RunPlan): CellRecord[] =>
  plan.points.flatMap((_, point) =>
    plan.transports.map((_, transport) => {
      const cell = deriveCell(plan, point, transport, [testBlock([1000, 1000], { point, transport })]);
      assert.ok(cell.status === 'ok');
      const disturbed = { name: 'cpu-busy', level: 'disturbs' as const, reason: null };
      return { ...cell, flags: transport === 0 ? [] : [disturbed] };
    }),
  );

test('a third of the budget is kept for the second time, and what the first left', () => {
  const plan = planOf(120);
  assert.equal(Math.round(firstTime(plan).sampling.adaptive?.budgetS ?? 0), 80);
  const budgetAfter = (tookS: number) =>
    secondTime(plan, cellsOf(plan), tookS)?.plan.sampling.adaptive?.budgetS;
  assert.deepEqual([budgetAfter(10), budgetAfter(95)], [110, 40]);
});

test('only disturbed cells are measured again, with all their launches', () => {
  const plan = planOf(120);
  const second = secondTime(plan, cellsOf(plan), 10) ?? assert.fail();
  assert.deepEqual(
    second.cells.map(({ point, transport }) => [point, transport]),
    [
      [0, 1],
      [1, 1],
    ],
  );
  assert.ok(second.blocks.every(({ transport }) => transport === 1));
  assert.deepEqual([...new Set(second.blocks.map(({ launch }) => launch))].sort(), [0, 1, 2]);
  assert.equal(second.leftOut, 0);
});

test('nothing that there is no time for, and nothing where nothing was disturbed', () => {
  const plan = planOf(120);
  assert.equal(secondTime(plan, [], 10), null);
  const short = planOf(1e-6);
  assert.equal(secondTime(short, cellsOf(short), 0), null);
});
