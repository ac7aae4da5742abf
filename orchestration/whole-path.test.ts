import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { xValueOf } from '../results/derive/cells/cell-group.ts';
import { completeness, deriveCell, refineIntervals } from '../results/derive/index.ts';
import { cellsToCsv } from '../results/export/csv.ts';
import {
  allMeasuredFigures,
  type BlockRecord,
  type CellRecord,
  measuredOf,
} from '../results/schema/index.ts';
import { files } from '../results/store/paths.ts';
import { openRun } from '../results/store/read.ts';
import { createRun } from '../results/store/write.ts';
import { testBlocks, testPlan, testPoint, testRecord } from '../results/testing/plan.ts';
import { runSession } from './session/session.ts';
import { mockLauncher } from './testing/mock.ts';

const sizes = [8, 64, 512, 4096, 32768, 1048576];
const plan = testPlan({
  points: sizes.map((bytes) => testPoint({ count: bytes / 4 })),
  sampling: { ...testPlan().sampling, launches: 3 },
  expected: { cells: 2 * sizes.length, checks: 2 * sizes.length * 2 * 3 * 2 * 2 },
});

/** Does the same as the command with a plan, but prints nothing: measures, derives, stores. */
async function carriedOut(
  root: string,
  fault = '',
): Promise<{ dir: string; cells: CellRecord[]; failed: boolean }> {
  const run = await createRun({ root, record: testRecord({ plan }) });
  const open = new Map<string, BlockRecord[]>();
  const cells: CellRecord[] = [];
  const options = { agentPath: '', signal: new AbortController().signal, launcher: mockLauncher(fault) };
  let failed = false;
  for await (const event of runSession(plan, testBlocks(plan), options)) {
    if (event.type === 'failure') failed = true;
    if (event.type !== 'block') continue;
    const { record } = event;
    await run.appendBlock(record);
    const key = `${record.point} ${record.transport}`;
    const blocks = [...(open.get(key) ?? []), record];
    open.set(key, blocks);
    if (!event.completesCell) continue;
    const cell = deriveCell(plan, record.point, record.transport, blocks);
    cells.push(cell);
    await run.appendCell(cell);
  }
  await run.close();
  return { dir: run.dir, cells, failed };
}

test('plan to figures to disk and back, over the mock agent', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'collbench-path-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const { dir, cells, failed } = await carriedOut(root);
  assert.equal(failed, false);
  const { complete, cellsMeasured, checks } = completeness(plan, cells);
  assert.deepEqual([complete, cellsMeasured, checks], [true, 12, plan.expected.checks]);

  const loaded = await openRun(dir);
  assert.deepEqual(loaded.cells, cells);
  assert.deepEqual(loaded.warnings.length, 1, 'only that the run has no end yet');

  for (const cell of loaded.cells) {
    assert.equal(cell.status, 'ok');
    assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
    assert.equal(cell.medium, 'emulated');
    // The mock agent computes start cost plus bytes over bandwidth; launches vary by 1 %.
    const decreed = cell.transport === 'socket' ? 6000 + xValueOf(cell) / 2.5 : 700 + xValueOf(cell) / 4.5;
    assert.equal(allMeasuredFigures(cell).length, 2);
    for (const figures of allMeasuredFigures(cell)) {
      const { value } = figures;
      assert.ok(Math.abs(value / decreed - 1) < 0.04, `${cell.id}: ${value} for ${decreed}`);
      assert.equal(figures.launches, 3);
      assert.match(figures.intervalReason ?? '', /^3 launches: an interval needs 4/);
    }
  }
  const refined = refineIntervals(loaded.cells);
  assert.equal(
    refined.filter((cell) => measuredOf(cell, 'latency')?.interval?.basis === 'moderated-t').length,
    10,
  );
  assert.equal(cellsToCsv(refined).trimEnd().split('\n').length, 1 + 24);
});

test('a run that ends early keeps its cells, and what its blocks show of the one that was begun', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'collbench-path-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const { dir, cells, failed } = await carriedOut(root, 'killed:14');
  assert.equal(failed, true);
  assert.equal(cells.length, 2);
  const loaded = await openRun(dir);
  assert.equal(loaded.cells.length, 3);
  const begun = loaded.cells[2];
  assert.equal(begun?.status, 'ok');
  assert.deepEqual(
    begun.flags.map(({ name }) => name),
    ['interrupted', 'few-launches'],
  );
  assert.match(completeness(plan, loaded.cells).missing[0]?.name ?? '', /allreduce 64 B over sisci/);
});

test('the token of a launch is not on disk', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'collbench-path-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const { dir } = await carriedOut(root);
  for (const file of [files.record, files.cells, files.blocks]) {
    assert.doesNotMatch(await readFile(join(dir, file), 'utf8'), /token|\b[0-9a-f]{32}\b/);
  }
});
