import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deriveCells } from '../derive/index.ts';
import { testBlock } from '../testing/block.ts';
import { testPlan, testPoint, testRecord } from '../testing/plan.ts';
import { openRun } from './read.ts';
import { createRun } from './write.ts';

const members = [
  { name: 'ranks 0-1', ranks: [0, 1] },
  { name: 'ranks 2-3', ranks: [2, 3] },
];
const groups = { rule: 'div:2', members };
const base = testPlan({
  ranks: 4,
  hosts: [{ name: 'h', ranks: [0, 1, 2, 3] }],
  points: [testPoint()],
  groups,
});
const plan = { ...base, transports: base.transports.slice(0, 1), expected: { cells: 2, checks: 0 } };
const blocks = members.map((_, index) =>
  testBlock(new Array(20).fill(1000 * (index + 1)), {
    block: index,
    group: { index, round: 0, toCommonNs: 0, uncertaintyNs: 0 },
  }),
);

test('of a run with groups the cells of all groups are read back, and those without a line derived', async () => {
  const root = await mkdtemp(join(tmpdir(), 'collbench-groups-'));
  try {
    const run = await createRun({ root, record: testRecord({ plan }) });
    for (const block of blocks) await run.appendBlock(block);
    const [first, second] = deriveCells(plan, 0, 0, blocks);
    if (first !== undefined) await run.appendCell(first);
    const torn = await openRun(run.dir);
    assert.deepEqual(
      torn.cells.map(({ group }) => group?.index),
      [0, 1],
    );
    assert.match(
      torn.warnings.join(),
      /1 configuration was not finished; .* allreduce 1 KiB over socket, ranks 2-3 \(1 block\)/,
    );
    if (second !== undefined) await run.appendCell(second);
    const whole = await openRun(run.dir);
    assert.deepEqual(whole.cells, [first, second]);
    await run.close();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
