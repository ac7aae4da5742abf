import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkCauses } from './network-causes.ts';
import type { ExplainedOperation } from './variants.ts';

const operation = (parts: Partial<ExplainedOperation>): ExplainedOperation => ({
  ...{ command: 'allreduce', ranks: 2, series: 'ib', transport: 'ib', medium: 'hardware', payloadBytes: 8 },
  ...{ options: {}, algorithm: '', environment: {} },
  ...{ competingCores: null, throttledShare: null, retransmitsPerOperation: null },
  ...parts,
});
const machine = { cpus: 2, ranks: 2, loads: [], maxBufferBytes: null, numaNodes: 1 };

function fallback(parts: Partial<ExplainedOperation>) {
  const row = networkCauses.find(({ id }) => id === 'fallback');
  assert.ok(row !== undefined);
  const found = row.interventions(operation(parts), machine);
  return {
    suspicion: row.suspicion?.(operation(parts), machine)?.text ?? null,
    answer:
      'changes' in found
        ? found.changes.map(({ change }) => change)
        : 'absent' in found
          ? found.absent
          : found.reason,
  };
}

test('bytes that took another path are named, with the reason why nothing can be tried', () => {
  const reason = 'NCCL made 8 connections over NET/Socket, NET/IB was asked for';
  const { suspicion, answer } = fallback({ evidence: { verdict: 'contradicted', reason } });
  assert.equal(suspicion, `ib was not used as asked: ${reason}`);
  assert.equal(answer, `${suspicion}; collbench doctor says what ib needs`);
});

test('an emulated adapter is no suspect, because a device that is there is never replaced by one', () => {
  const answer = 'an adapter is emulated only if asked for, or without a device';
  for (const options of [{}, { medium: 'emulated' }])
    assert.deepEqual(fallback({ transport: 'sisci', medium: 'emulated', options }), {
      suspicion: null,
      answer,
    });
});

test('confirmed and unproven transports are no suspects', () => {
  const evidence = (verdict: 'confirmed' | 'unproven') => fallback({ evidence: { verdict, reason: 'x' } });
  assert.deepEqual(evidence('confirmed'), { suspicion: null, answer: 'the evidence confirms ib' });
  assert.deepEqual(evidence('unproven'), { suspicion: null, answer: 'not known: x' });
});
