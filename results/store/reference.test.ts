import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deriveCell } from '../derive/index.ts';
import { type BlockRecord, measuredOf } from '../schema/index.ts';
import { openRun } from './read.ts';

// Path of the recorded runs in the source tree; the test runs in dist/results/store.
const folder = fileURLToPath(new URL('../../../results/reference/', import.meta.url));
const runs = readdirSync(folder, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && !entry.name.endsWith('-pools'),
);

for (const { name } of runs) {
  test(`reference run ${name}: whole, right, and its medians come out of its samples`, async () => {
    const run = await openRun(path.join(folder, name));
    assert.deepEqual(run.warnings, []);
    assert.equal(run.cells.length, run.record.plan.expected.cells);
    const blocks = new Map<string, BlockRecord[]>();
    for await (const block of run.blocks()) {
      const key = `${block.point}/${block.transport}`;
      blocks.set(key, [...(blocks.get(key) ?? []), block]);
    }
    assert.equal(blocks.size, run.cells.length);
    const { plan } = run.record;
    for (const cell of run.cells) {
      assert.ok(cell.status === 'ok');
      assert.equal(cell.verification.wrongElements, 0);
      assert.equal(cell.evidence.verdict, 'confirmed');
      const transport = plan.transports.findIndex((one) => one.name === cell.transport);
      const own = blocks.get(`${cell.point}/${transport}`) ?? [];
      const derived = deriveCell(plan, cell.point, transport, own);
      assert.ok(derived.status === 'ok');
      for (const name of ['latency', 'pipelined']) {
        const found = measuredOf(derived, name)?.value ?? Number.NaN;
        const stored = measuredOf(cell, name)?.value ?? 0;
        assert.ok(Math.abs(found / stored - 1) < 1e-9, `${cell.id} ${name}: ${found}`);
      }
    }
  });
}
