import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deriveCell } from '../derive/cells/cell.ts';
import { type BlockRecord, measuredOf, type Resumption, type RunRecord } from '../schema/index.ts';
import { testBlock } from '../testing/block.ts';
import { testPlan, testRecord } from '../testing/plan.ts';
import { lockRun } from './lock.ts';
import { files } from './paths.ts';
import { openRun } from './read.ts';
import { createRun, reopenRun } from './write.ts';

const plan = testPlan();
const resumption: Resumption = {
  at: '2026-11-21T02:00:00.000Z',
  cellsBefore: 1,
  blocksBefore: 3,
  collbenchVersion: '0.1.0',
  agentVersion: '0.1.0',
  before: { state: 'running', endedAt: null, failures: [] },
  differences: [],
};
const resumedRecord: RunRecord = testRecord({ resumed: [resumption] });
const block = (block: number, parts: Partial<BlockRecord>): BlockRecord =>
  testBlock(new Array(20).fill(1000 + block), { block, ...parts });

/** A run with one finished cell and two blocks of the next, left by its writer. */
async function left(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'collbench-reopen-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const run = await createRun({ root, record: testRecord() });
  const first = block(0, { transport: 0 });
  await run.appendBlock(first);
  await run.appendCell(deriveCell(plan, 0, 0, [first]));
  await run.appendBlock(block(1, { transport: 1, launch: 0 }));
  await run.appendBlock(block(2, { transport: 1, launch: 1 }));
  await run.close();
  return run.dir;
}
const numbers = async (blocks: AsyncIterable<BlockRecord>): Promise<number[]> => {
  const found = [];
  for await (const one of blocks) found.push(one.block);
  return found;
};

test('blocks of a cell measured anew replace those of the start before, which stay in the file', async (t) => {
  const dir = await left(t);
  const { cells } = await openRun(dir);
  const run = await reopenRun(dir, resumedRecord, cells.slice(0, 1), await lockRun(dir, ''));
  await run.appendBlock(block(3, { transport: 1, attempt: 1 }));

  const loaded = await openRun(dir);
  assert.deepEqual(await numbers(loaded.blocks()), [0, 3]);
  assert.deepEqual(await numbers(loaded.blocks('all')), [0, 1, 2, 3]);
  const anew = loaded.cells[1];
  assert.ok(anew?.status === 'ok');
  assert.equal(measuredOf(anew, 'latency')?.value, 1003, 'derived of the last attempt alone');
  await run.close();
  assert.ok(!(await readdir(dir)).some((name) => name.startsWith('.')));
});

test('a cell that the later start has not come to keeps what the earlier one had', async (t) => {
  const dir = await left(t);
  const { cells } = await openRun(dir);
  const run = await reopenRun(dir, resumedRecord, cells.slice(0, 1), await lockRun(dir, ''));
  await run.close();
  const loaded = await openRun(dir);
  assert.deepEqual(await numbers(loaded.blocks()), [0, 1, 2]);
  assert.equal(loaded.cells.length, 2);
  assert.deepEqual(loaded.record, resumedRecord);
});

test('torn last lines are cut off before anything is appended', async (t) => {
  const dir = await left(t);
  for (const file of [files.blocks, files.cells]) await appendFile(join(dir, file), '{"block": 3, "poi');
  const { cells, warnings } = await openRun(dir);
  assert.equal(warnings.filter((text) => text.includes('torn')).length, 2);
  const run = await reopenRun(dir, resumedRecord, cells.slice(0, 1), await lockRun(dir, ''));
  await run.appendBlock(block(3, { transport: 1, attempt: 1 }));
  await run.appendCell(deriveCell(plan, 1, 0, [block(4, { point: 1 })]));
  await run.close();
  const loaded = await openRun(dir);
  assert.deepEqual(await numbers(loaded.blocks('all')), [0, 1, 2, 3]);
  assert.ok(!loaded.warnings.some((text) => text.includes('torn')));
});
