import assert from 'node:assert/strict';
import test from 'node:test';
import type { BlockRecord, PointPlan, RunPlan, TransportPlan } from '../../schema/index.ts';
import { nvshmemEvidence } from './nvshmem.ts';

const plan = { ranks: 2, engine: 'nvshmem' } as RunPlan;
const point = {
  workload: 'collective',
  axes: { collective: 'allreduce', dtype: 'float32', op: 'sum', root: null, inPlace: false, bytes: 8 },
} as unknown as PointPlan;
const over = (algo: string | null): TransportPlan =>
  ({
    name: algo === null ? 'p2p' : `p2p@${algo}`,
    settings: algo === null ? undefined : { algo },
  }) as TransportPlan;
const block = (launch: number, paths: Record<string, number>): BlockRecord =>
  ({
    launch,
    paths,
    algorithm: '',
    trial: 'isolated',
    operations: 1,
    counters: [],
  }) as unknown as BlockRecord;

test('ranks that map the memory of all others have no other way', () => {
  const evidence = nvshmemEvidence(plan, point, over('ring'), [block(0, { 'P2P/NVSHMEM': 2 })]);
  assert.equal(evidence.verdict, 'confirmed');
  assert.match(evidence.reason, /nvshmem_ptr/);
});

test("a series that NCCL ran is judged by NCCL's own log", () => {
  const confirmed = nvshmemEvidence(plan, point, over('nccl-ring'), [block(0, { 'P2P/CUMEM': 48 })]);
  assert.equal(confirmed.verdict, 'confirmed', confirmed.reason);
  assert.match(confirmed.reason, /NCCL made 48 connections over P2P/);
  const other = nvshmemEvidence(plan, point, over('nccl'), [block(0, { SHM: 4 })]);
  assert.equal(other.verdict, 'contradicted');
});

test('a launch that says nothing proves nothing', () => {
  const evidence = nvshmemEvidence(plan, point, over(null), [block(0, { 'P2P/NVSHMEM': 2 }), block(1, {})]);
  assert.equal(evidence.verdict, 'unproven');
});
