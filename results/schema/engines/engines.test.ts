import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workloads } from '../workloads/index.ts';
import { engineRow, engines, usesGpus } from './index.ts';

test('one engine is embedded; no engine of another program, and none that this build lacks', () => {
  const embedded = engines.filter(({ isEmbedded }) => isEmbedded === true);
  assert.deepEqual(
    embedded.map(({ name }) => name),
    ['cpu'],
  );
  assert.notEqual(engineRow({ engine: 'of-another-build' }).isEmbedded, true);
});

test('ranks use GPUs by their engine, or by a setting of it', () => {
  const uses = (engine: string, settings: Record<string, string> = {}) => usesGpus({ engine, settings });
  assert.deepEqual([uses('nccl'), uses('nvshmem'), uses('cuda')], [true, true, true]);
  assert.deepEqual([uses('cpu'), uses('mpi'), uses('torch')], [false, false, false]);
  assert.ok(uses('torch', { backend: 'nccl' }));
  assert.ok(!uses('torch', { backend: 'gloo' }));
  assert.ok(!uses('mpi', { backend: 'nccl' }));
});

test('an engine that takes times on devices has sentences about its calls', () => {
  for (const { name, onDevice, callSentences } of engines)
    assert.equal(callSentences !== undefined, onDevice, name);
});

test('a workload knows which messages of two ranks follow one another', () => {
  const patternOf = (name: string, axes: Record<string, string | number>, ranks = 2) =>
    workloads.find((row) => row.name === name)?.messagePattern?.({ axes, ranks }) ?? null;
  const put = { operation: 'put', direction: 'uni', window: 64, bytes: 8 };
  assert.deepEqual(patternOf('p2p', put), { kind: 'stream', window: 64 });
  assert.deepEqual(patternOf('p2p', { ...put, operation: 'pingpong' }), { kind: 'reply' });
  assert.equal(patternOf('p2p', { ...put, direction: 'bi' }), null);
  assert.equal(patternOf('p2p', put, 4), null);
  assert.deepEqual(patternOf('collective', {}), { kind: 'algorithm' });
  assert.equal(patternOf('stencil', {}), null);
});
