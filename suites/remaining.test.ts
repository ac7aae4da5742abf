import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell, missingCell } from '../results/derive/cells/cell.ts';
import { deriveCells } from '../results/derive/cells/groups.ts';
import type { BlockRequest, CellRecord, RunPlan } from '../results/schema/index.ts';
import { testBlock } from '../results/testing/block.ts';
import { testPlan } from '../results/testing/plan.ts';
import { remainingWork } from './remaining.ts';
import { schedule } from './schedule.ts';

const plan = testPlan({ sampling: { ...testPlan().sampling, launches: 3, attest: true } });
const all = schedule(plan);
const isOf = (point: number, transport: number) => (block: BlockRequest) =>
  block.point === point && block.transport === transport;

/** Stored line of a cell whose blocks are all measured. */
function measured(point: number, transport: number, flags: string[] = []): CellRecord {
  const blocks = all
    .filter(isOf(point, transport))
    .map(({ launch, trial }, block) =>
      testBlock(new Array(20).fill(1000), { point, transport, launch, trial, block }),
    );
  return deriveCell(plan, point, transport, blocks, flags);
}
const cells = (): CellRecord[] => [0, 1].flatMap((p) => [0, 1].map((t) => measured(p, t)));
const placesOf = (blocks: readonly BlockRequest[]) =>
  [...new Set(blocks.map(({ point, transport }) => `${point} ${transport}`))].sort();

test('nothing is missing where all blocks and lines are there', () => {
  const rest = remainingWork(plan, cells(), all);
  assert.deepEqual(rest, { blocks: [], kept: cells(), underived: [], estimateS: 0 });
});

test('everything is missing where nothing is there: the same blocks in the same order', () => {
  const rest = remainingWork(plan, [], []);
  assert.deepEqual(rest.blocks, all);
  assert.deepEqual(rest.kept, []);
  assert.ok(rest.estimateS > 0);
});

test('one block missing, of any launch or trial: the whole cell is measured anew with all its launches', () => {
  for (const lost of all.filter(isOf(1, 0))) {
    const rest = remainingWork(
      plan,
      cells(),
      all.filter((block) => block !== lost),
    );
    const anew = rest.blocks.map(({ launch, trial, completesCell }) => ({ launch, trial, completesCell }));
    const planned = all
      .filter(isOf(1, 0))
      .map(({ launch, trial, completesCell }) => ({ launch, trial, completesCell }));
    assert.deepEqual(anew, planned, `without launch ${lost.launch}, ${lost.trial}`);
    assert.equal(rest.kept.length, 3);
  }
});

test('a block twice, as two launches of one number would leave it, does not stand in for another', () => {
  const [first] = all.filter(isOf(0, 1));
  const others = all.filter((block) => block !== all.find(isOf(0, 1)));
  const twin = others.find((block) => isOf(0, 1)(block) && block.launch !== first?.launch);
  const rest = remainingWork(plan, cells(), [...others, twin as BlockRequest]);
  assert.deepEqual(placesOf(rest.blocks), ['0 1']);
});

for (const status of ['failed', 'aborted'] as const) {
  test(`a line that says ${status} is missing, though every block is there`, () => {
    const lines = [...cells().slice(1), missingCell(plan, 0, 0, status, 'a reason')];
    const rest = remainingWork(plan, lines, all);
    assert.deepEqual(placesOf(rest.blocks), ['0 0']);
    assert.equal(rest.kept.length, 3);
  });
}

test('a skipped cell stays skipped', () => {
  const skipped = missingCell(plan, 0, 0, 'skipped', 'a reason');
  const rest = remainingWork(
    plan,
    [...cells().slice(1), skipped],
    all.filter((block) => !isOf(0, 0)(block)),
  );
  assert.deepEqual(rest.blocks, []);
  assert.ok(rest.kept.includes(skipped));
});

test('wrong data is a result: the cell is not measured again', () => {
  const block = testBlock(new Array(20).fill(1000), {
    wrong: [0, 1].map((rank) => ({ rank, wrongElements: 3, comparedElements: 512, first: null })),
  });
  const wrong = deriveCell(plan, 0, 0, [block, { ...block, trial: 'pipelined' as const }]);
  assert.deepEqual(remainingWork(plan, [...cells().slice(1), wrong], all).blocks, []);
});

test('a line without figures of one trial is missing', () => {
  const half = deriveCell(plan, 0, 0, [testBlock(new Array(20).fill(1000))]);
  assert.deepEqual(placesOf(remainingWork(plan, [...cells().slice(1), half], all).blocks), ['0 0']);
});

test('all blocks and no line, or the line of an interruption: figures are derived, nothing is measured', () => {
  const torn = measured(1, 1, ['interrupted']);
  const rest = remainingWork(plan, [...cells().slice(1, 3), torn], all);
  assert.deepEqual(rest.blocks, []);
  assert.deepEqual(rest.underived, [
    [0, 0],
    [1, 1],
  ]);
  assert.equal(rest.kept.length, 2);
});

test('adaptive sampling: a cell with all first blocks and no line was not done with, and is measured anew', () => {
  const adaptive = { precision: 0.01, budgetS: 240, maxLaunches: 6 };
  const open: RunPlan = { ...plan, sampling: { ...plan.sampling, adaptive } };
  const first = schedule(open);
  const lines = cells();
  assert.deepEqual(remainingWork(open, lines, first).blocks, []);
  const rest = remainingWork(open, lines.slice(1), first);
  assert.deepEqual(placesOf(rest.blocks), ['0 0']);
  assert.deepEqual(rest.underived, []);
});

test('what is left keeps its order; launches end after their last block and pages are given back', () => {
  const large: RunPlan = {
    ...plan,
    points: plan.points.map((point) => ({ ...point, axes: { ...point.axes, bytes: 2 ** 28 } })),
  };
  const whole = schedule(large);
  const rest = remainingWork(large, [], whole.filter(isOf(0, 0))).blocks;
  const order = (blocks: readonly BlockRequest[]) =>
    blocks.map(({ point, transport, launch, trial }) => `${point} ${transport} ${launch} ${trial}`);
  assert.deepEqual(order(rest), order(whole.filter((block) => !isOf(0, 0)(block))));
  for (const [i, block] of rest.entries()) {
    const next = rest[i + 1];
    const goesOn = next?.transport === block.transport && next.launch === block.launch;
    if (block.trial === 'attest') assert.equal(block.endsLaunch === true, !goesOn);
    else assert.equal(block.release, !goesOn);
  }
});

test('groups: a cell is there when every group has its line and its blocks; else all are measured anew', () => {
  const groups = { rule: 'mod:2', members: [0, 1].map((i) => ({ name: `${i}`, ranks: [i, i + 2] })) };
  const together: RunPlan = { ...testPlan({ ranks: 4 }), groups };
  const blocks = schedule(together).flatMap((request, round) =>
    [0, 1].map((index) =>
      testBlock(new Array(20).fill(1000), {
        ...{ point: request.point, transport: request.transport, launch: request.launch },
        trial: request.trial,
        group: { index, round: 2 * round, toCommonNs: 0, uncertaintyNs: 0 },
      }),
    ),
  );
  const lines = [0, 1].flatMap((point) =>
    [0, 1].flatMap((transport) => {
      const own = blocks.filter((block) => block.point === point && block.transport === transport);
      return deriveCells(together, point, transport, own);
    }),
  );
  assert.deepEqual(remainingWork(together, lines, blocks).blocks, []);
  assert.equal(remainingWork(together, lines, blocks).kept.length, 8);
  assert.deepEqual(placesOf(remainingWork(together, lines, blocks.slice(1)).blocks), ['0 0']);
  const rest = remainingWork(together, lines.slice(1), blocks);
  assert.deepEqual([rest.blocks, rest.underived, rest.kept.length], [[], [[0, 0]], 6]);
});
