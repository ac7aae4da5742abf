import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { nativeDir } from '../../orchestration/build.ts';
import { local } from '../../orchestration/launchers/local.ts';
import { runSession } from '../../orchestration/session/session.ts';
import { deriveCell } from '../../results/derive/index.ts';
import { type BlockRecord, type Failure, measuredOf } from '../../results/schema/index.ts';
import { testBlocks, testPlan, testPoint } from '../../results/testing/plan.ts';
import { skipUnless } from './harness.ts';

const agentPath = path.join(nativeDir(), 'collbench-agent');
const skip = skipUnless(existsSync(agentPath), `no collbench-agent in ${nativeDir()}`);

test('real ranks of two agents reduce over sockets together, verified, on one clock', { skip }, async () => {
  const plan = testPlan({
    ranks: 4,
    hosts: [
      { name: 'a', ranks: [0, 2] },
      { name: 'b', ranks: [1, 3] },
    ],
    transports: [
      {
        name: 'socket',
        medium: 'hardware',
        detail: { networkInterface: 'lo' },
        options: { interface: 'lo' },
      },
    ],
    points: [testPoint({}, 4), testPoint({ count: 65536 }, 4)],
  });
  const blocks: BlockRecord[] = [];
  let failure: Failure | null = null;
  const options = { agentPath, signal: new AbortController().signal, launcher: local };
  for await (const event of runSession(plan, testBlocks(plan), options)) {
    if (event.type === 'block') blocks.push(event.record);
    if (event.type === 'failure') failure = event.failure;
  }
  assert.equal(failure, null);
  assert.equal(blocks.length, 4);
  for (const block of blocks) {
    assert.equal(block.endNs.length, 4);
    assert.ok(block.checks.every((checks) => checks > 0));
    assert.deepEqual(
      block.wrong.map((wrong) => wrong.wrongElements),
      [0, 0, 0, 0],
    );
    // All ranks use one clock, so no rank ends a sample before the common start.
    for (const ends of block.endNs)
      for (const [i, end] of ends.entries()) assert.ok(end > (block.commonStartNs[i] as number));
  }
  for (const point of plan.points.keys()) {
    const of = blocks.filter((block) => block.point === point);
    const cell = deriveCell(plan, point, 0, of);
    assert.equal(cell.status, 'ok');
    assert.ok((measuredOf(cell, 'latency')?.value ?? 0) > 0);
  }
});
