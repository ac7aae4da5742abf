import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RunRecord } from '../schema/index.ts';
import { openRun } from '../store/read.ts';
import { removeRun } from '../store/remove.ts';
import { enterIndex } from '../store/run-index/open.ts';
import { createRun } from '../store/write.ts';
import { type SyntheticRun, syntheticRecord } from '../testing/run.ts';
import { findLastComparable } from './last-like.ts';

async function stored(root: string, made: SyntheticRun & { id: string }, parts: Partial<RunRecord>) {
  const { record, cells } = syntheticRecord({ sizes: [8, 64], ...made });
  const writer = await createRun({ root, record: { ...record, state: 'complete', ...parts } });
  await writer.replaceCells(cells);
  await writer.close();
  const run = await openRun(writer.dir);
  assert.equal(await enterIndex(run), null);
  return run;
}
const at = (hour: number) => ({ startedAt: `2026-11-21T0${hour}:00:00.000Z` });

test('the newest earlier run of these series on these hosts; others, broken and removed ones are passed over', async (t: TestContext) => {
  const root = mkdtempSync(path.join(tmpdir(), 'collbench-last-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const first = await stored(root, { id: 'aaaaa1' }, at(1));
  assert.equal(await findLastComparable(first), null);
  const second = await stored(root, { id: 'aaaaa2' }, at(2));
  const { plan } = second.record;
  const elsewhere = { ...plan, hosts: plan.hosts.map((host) => ({ ...host, name: 'other' })) };
  await stored(root, { id: 'aaaaa3' }, { ...at(3), plan: elsewhere });
  await stored(root, { id: 'aaaaa4' }, { ...at(4), state: 'interrupted' });
  await stored(root, { id: 'aaaaa5', sizes: [1024] }, at(5));
  const newest = await stored(root, { id: 'aaaaa6' }, at(6));
  assert.equal((await findLastComparable(newest))?.record.id, 'aaaaa2');
  await removeRun(second.dir);
  assert.equal((await findLastComparable(newest))?.record.id, 'aaaaa1');
});
