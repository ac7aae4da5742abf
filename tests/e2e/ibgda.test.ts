// test: up to 1 min
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, OkCell, RunRecord } from '../../results/schema/index.ts';
import { findOnlyRun, ndjson, run, start, survivors, withFolder } from './harness.ts';
import { namespaceProblem, withNamespace } from './support/namespace.ts';

const short = ['--sizes', '8,1K,64K,1M', '--launches', '1', '--iters', '20'];
const over = (...more: string[]) => ['allreduce', '--transport', 'ibgda', ...short, ...more];

test('three ranks over softmlx5: verified, emulated, evidence confirmed', async () => {
  // Traffic of other programs on the shared loopback can hide small messages; the evidence is then unproven.
  if (namespaceProblem() === null) await withNamespace([], (prefix) => threeRanks(prefix, /^confirmed$/));
  else await threeRanks([], /^(?:confirmed|unproven)$/);
});

async function threeRanks(prefix: string[], verdict: RegExp): Promise<void> {
  await withFolder(async (folder) => {
    const ended = await run(over('--ranks', '3', '--link', 'hdr-200'), { cwd: folder, prefix });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /EMULATED/);
    assert.match(ended.stdout, /softmlx5, link hdr-200, rc queues/);
    const cells = await ndjson<CellRecord>(path.join(await findOnlyRun(folder), 'cells.ndjson'));
    assert.equal(cells.length, 4);
    for (const cell of cells as OkCell[]) {
      assert.equal(cell.medium, 'emulated');
      assert.equal(cell.verification.wrongElements, 0);
      assert.match(cell.evidence.verdict, verdict, cell.evidence.reason);
    }
  });
}

test('--ibgda-queue dc: verified, emulated, named in table and record', async () => {
  await withFolder(async (folder) => {
    const ended = await run(over('--ranks', '3', '--link', 'hdr-200', '--ibgda-queue', 'dc'), {
      cwd: folder,
    });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /softmlx5, link hdr-200, dc queues.*EMULATED/);
    const at = await findOnlyRun(folder);
    const { plan } = JSON.parse(await readFile(path.join(at, 'run.json'), 'utf8')) as RunRecord;
    assert.equal(plan.transports[0]?.options.queue, 'dc');
    for (const cell of await ndjson<OkCell>(path.join(at, 'cells.ndjson'))) {
      assert.equal(cell.medium, 'emulated');
      assert.equal(cell.verification.wrongElements, 0);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
    }
  });
});

/** Faults with the exit code and the message of the run. `hangs`: true if only --timeout ends the run. */
const faults: readonly { fault: string; code: number; says: RegExp; queue?: 'dc'; hangs?: true }[] = [
  { fault: 'bit-flip:every=7', code: 3, says: /wrong data: allreduce .* over ibgda, rank \d/ },
  { fault: 'qp-error:after=50', code: 2, says: /rank \d.*local queue pair operation error \(0x02\)/ },
  {
    queue: 'dc',
    fault: 'qp-error:after=50',
    code: 2,
    says: /rank \d.*local queue pair operation error \(0x02\)/,
  },
  { fault: 'port-down:after-bytes=20000', code: 2, says: /rank \d.*transport retries exceeded/ },
  { fault: 'lost-doorbell:every=40', code: 2, says: /ranks? \d/, hangs: true },
  { fault: 'stuck-cq:after=40', code: 2, says: /ranks? \d/, hangs: true },
];

for (const { fault, code, says, queue = 'rc', hangs } of faults)
  test(`--fault ${fault}, ${queue} queues: exit ${code}, the rank is named, nothing is left`, async () => {
    await withFolder(async (folder) => {
      const limits = hangs ? ['--timeout', '3'] : [];
      const started = start(over('--fault', fault, ...limits, '--ibgda-queue', queue), { cwd: folder });
      const ended = await started.ended;
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, says);
      assert.deepEqual(await survivors(started.marker), []);
    });
  });

test('hardware that is not there is refused before start, with what is missing', async () => {
  await withFolder(async (folder) => {
    const ended = await run(over('--medium', 'hardware'), { cwd: folder });
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /ibgda cannot run on hardware here/);
    assert.match(ended.stderr, /ConnectX-5 or newer .* rdma-core 28 or newer/);
  });
});
