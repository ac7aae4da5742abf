import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gpusOf, referencesFor } from './reference-runs.ts';
import { openRun } from './store/read.ts';
import { syntheticRecord } from './testing/run.ts';

const folder = fileURLToPath(new URL('../../results/reference', import.meta.url));

test('recorded runs count for the same GPUs in the same number alone, and never for themselves', async () => {
  const { record } = await openRun(path.join(folder, 'nccl-2-h200-precision'));
  assert.equal(gpusOf(record), '2 NVIDIA H200');
  const found = await referencesFor(record);
  assert.ok(found.some(({ name }) => name === 'nccl-2-h200'));
  for (const { name, machine, run } of found) {
    assert.notEqual(run.record.id, record.id);
    assert.equal(machine, '2 NVIDIA H200');
    assert.notEqual(name, 'nccl-4-h200');
  }
  const other = structuredClone(record);
  for (const { ranks } of other.launches)
    for (const rank of ranks) rank.facts = { ...rank.facts, gpu: 'GPU 0 NVIDIA H100 [0000:00:06.0]' };
  assert.deepEqual(await referencesFor(other), []);
});

test('machines without GPUs have no reference', async () => {
  const { record } = syntheticRecord({ seed: 1 });
  assert.equal(gpusOf(record), null);
  assert.deepEqual(await referencesFor(record), []);
});
