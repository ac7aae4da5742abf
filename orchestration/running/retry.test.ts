import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell } from '../../results/derive/index.ts';
import type { BlockRequest, CellRecord, RunPlan } from '../../results/schema/index.ts';
import { testBlock } from '../../results/testing/block.ts';
import { testPlan } from '../../results/testing/plan.ts';
import { firstMeasurementPlan, limitByTime, secondTime } from './retry.ts';

function planOf(budgetS: number): RunPlan {
  const { sampling } = testPlan();
  const adaptive = { precision: 0.01, budgetS, maxLaunches: 3 };
  return testPlan({ sampling: { ...sampling, launches: 3, apart: true, retryFlagged: true, adaptive } });
}

/** Cells of the plan; all except those of the first transport are disturbed. */
const cellsOf = (plan: RunPlan): CellRecord[] =>
  plan.points.flatMap((_, point) =>
    plan.transports.map((_, transport) => {
      const cell = deriveCell(plan, point, transport, [testBlock([1000, 1000], { point, transport })]);
      assert.ok(cell.status === 'ok');
      const disturbed = { name: 'cpu-busy', level: 'disturbs' as const, reason: null };
      return { ...cell, flags: transport === 0 ? [] : [disturbed] };
    }),
  );

/** Launches of each cell, in the order of measuring. */
function launchesOf(blocks: readonly BlockRequest[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { point, transport, launch } of blocks) {
    const key = `${point} ${transport}`;
    const own = found.get(key) ?? [];
    if (own.at(-1) !== launch) found.set(key, [...own, launch]);
  }
  return found;
}

test('launches of the second time lie apart: each goes over all disturbed cells, and pauses fill what few cells leave', () => {
  const plan = planOf(120);
  const { blocks, plan: again, apartS } = secondTime(plan, cellsOf(plan), 12) ?? assert.fail();
  assert.equal(again.sampling.apart, true);
  for (const launches of launchesOf(blocks).values()) assert.deepEqual(launches, [0, 1, 2]);
  const order = blocks.map(({ point, launch }) => `${launch} ${point}`);
  assert.deepEqual(order, order.toSorted(), 'launch by launch over all points');
  assert.equal(apartS, 4, 'as far apart as those of the first time: 12 s, three launches');
  const { apartS: spent } = secondTime(plan, cellsOf(plan), 119.5) ?? assert.fail();
  assert.ok(spent < 0.25, 'pauses take half of the spare time at most');
});

test('a third of the budget is kept for the second time, which gets no more than the first left', () => {
  const plan = planOf(120);
  assert.equal(Math.round(firstMeasurementPlan(plan).sampling.adaptive?.budgetS ?? 0), 80);
  const after = (tookS: number) => secondTime(plan, cellsOf(plan), tookS) ?? assert.fail();
  assert.deepEqual(
    [10, 95, 119.5, 130].map((tookS) => after(tookS).leftS),
    [110, 25, 0.5, 0],
  );
  const { plan: second, leftS } = after(10);
  const budgetS = second.sampling.adaptive?.budgetS ?? 0;
  assert.ok(budgetS > 0 && budgetS < leftS, 'its launches take their part');
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

test('where the budget is spent nothing is measured again, and all is left out; where nothing was disturbed nothing is said', () => {
  const plan = planOf(120);
  assert.equal(secondTime(plan, [], 10), null);
  const { cells, blocks, leftOut } = secondTime(plan, cellsOf(plan), 130) ?? assert.fail();
  assert.deepEqual([cells, blocks, leftOut], [[], [], 2]);
});

test('once the time is spent no further point is begun; those that began are measured with all their launches', () => {
  const { blocks } = secondTime(planOf(120), cellsOf(planOf(120)), 10) ?? assert.fail();
  const ofFirst = blocks.filter(({ point }) => point === 0);
  assert.ok(ofFirst.length > 1 && ofFirst.length < blocks.length);
  const measured = (spentAfter: number) => {
    const begun = new Set<number>();
    let done = 0;
    for (const _ of limitByTime(blocks, begun, () => done >= spentAfter)) done += 1;
    return [done, [...begun]];
  };
  assert.deepEqual(measured(0), [0, []]);
  assert.deepEqual(measured(1), [ofFirst.length, [0]]);
  assert.deepEqual(measured(blocks.length), [blocks.length, [0, 1]]);
});
