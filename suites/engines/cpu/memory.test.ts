import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunPlan } from '../../../results/schema/index.ts';
import { testPlan, testPoint } from '../../../results/testing/plan.ts';
import { hostMemoryShortage } from './memory.ts';

const MiB = 2 ** 20;

/** Whether buffers and scratch memory of vectors of 256 MiB fit into a host with this memory. */
function fits(
  collective: 'allreduce' | 'reducescatter' | 'allgather' | 'alltoall',
  algo: string | null,
  memoryMiB: number,
  ranks = 4,
  where: 'algorithm' | 'series' = 'algorithm',
): boolean {
  const count = (256 * MiB) / 4 / (collective === 'allreduce' ? 1 : ranks);
  const point = testPoint({ collective, count, op: collective.includes('reduce') ? 'sum' : null }, ranks);
  const transport = { name: 'socket', medium: 'hardware' as const, detail: {}, options: {} };
  const parts: Partial<RunPlan> = {
    ranks,
    hosts: [{ name: 'h', ranks: Array.from({ length: ranks }, (_, rank) => rank) }],
    points: [point],
    algorithm: where === 'algorithm' ? algo : null,
    transports: [where === 'series' && algo !== null ? { ...transport, settings: { algo } } : transport],
  };
  return hostMemoryShortage(testPlan(parts), new Map([['h', (memoryMiB * MiB) / 0.9]])) === null;
}

test('ranks need room for their buffers', () => {
  assert.ok(fits('allreduce', null, 4 * 512));
  assert.ok(!fits('allreduce', null, 4 * 511));
});

for (const where of ['algorithm', 'series'] as const)
  test(`halving holds the parts that it receives: reducescatter needs room for them (${where})`, () => {
    // Memory of a rank: 256 MiB input, 64 MiB result, 3 of 4 parts as scratch memory.
    assert.ok(fits('reducescatter', 'ring', 4 * 320, 4, where));
    assert.ok(fits('reducescatter', 'halving-doubling', 4 * 512, 4, where));
    assert.ok(!fits('reducescatter', 'halving-doubling', 4 * 511, 4, where));
  });

test('a vector that is cut into pieces needs scratch memory of one piece, which the plan leaves out', () => {
  assert.ok(fits('allreduce', 'halving-doubling', 4 * 512));
});

test('Bruck turns all parts in scratch memory', () => {
  // Memory of a rank: 64 MiB input, 256 MiB result, all parts as scratch memory.
  assert.ok(fits('allgather', 'bruck', 4 * 576));
  assert.ok(!fits('allgather', 'bruck', 4 * 575));
  // Memory of a rank: 256 MiB input and result, 4 parts, and 2 parts twice in each of two exchanges.
  assert.ok(fits('alltoall', 'bruck', 4 * 1280));
  assert.ok(!fits('alltoall', 'bruck', 4 * 1279));
});

test('above one hop the engine takes Bruck for alltoall by itself', () => {
  assert.ok(fits('alltoall', null, 64 * 513, 64));
  assert.ok(!fits('alltoall', null, 128 * 513, 128));
});
