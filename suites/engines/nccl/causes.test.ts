import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedOperation } from '../../explain/variants.ts';
import { ncclCauses } from './causes.ts';

const operation: ExplainedOperation = {
  ...{ ranks: 2, series: 'p2p', transport: 'p2p', medium: 'hardware' },
  ...{ command: 'allreduce', payloadBytes: 8, options: {}, algorithm: 'Ring', environment: {} },
  ...{ competingCores: null, throttledShare: null, retransmitsPerOperation: null },
};
const cpus = { cpus: 16, ranks: 2, loads: [], maxBufferBytes: null, numaNodes: 1 };
const found = (id: string, change: Partial<ExplainedOperation> = {}) => {
  const answer = ncclCauses.find((row) => row.id === id)?.interventions({ ...operation, ...change }, cpus);
  assert.ok(answer !== undefined);
  if ('changes' in answer) return answer.changes;
  return 'absent' in answer ? answer.absent : answer.reason;
};

test('variables that limit NCCL are removed together and one by one; those that avoid faults of hardware stay', () => {
  const environment = { NCCL_MAX_NCHANNELS: '1', NCCL_NVLS_ENABLE: '0', NCCL_DEBUG: 'INFO' };
  assert.deepEqual(found('environment', { environment }), [
    { title: 'without NCCL_MAX_NCHANNELS=1', change: {}, unset: ['NCCL_MAX_NCHANNELS'] },
  ]);
  const both = { NCCL_MAX_NCHANNELS: '1', NCCL_BUFFSIZE: '65536' };
  const changes = found('environment', { environment: both });
  assert.ok(Array.isArray(changes));
  assert.deepEqual(
    changes.map(({ unset }) => unset),
    [['NCCL_MAX_NCHANNELS', 'NCCL_BUFFSIZE'], ['NCCL_MAX_NCHANNELS'], ['NCCL_BUFFSIZE']],
  );
  assert.equal(found('environment'), 'none is set');
});

test('other algorithms of the collective are tried, and the choice of NCCL first if one was forced', () => {
  assert.deepEqual(found('algorithm'), [{ title: 'algorithm tree', change: { algo: 'tree' } }]);
  assert.deepEqual(found('algorithm', { options: { algo: 'ring' } }), [
    { title: "NCCL's choice of algorithm", change: { algo: null } },
    { title: 'algorithm tree', change: { algo: 'tree' } },
  ]);
  assert.match(String(found('algorithm', { command: 'broadcast' })), /one algorithm for broadcast/);
});

test('protocol LL128 is never forced, because it corrupts data where NCCL would not choose it', () => {
  assert.deepEqual(found('protocol'), [
    { title: 'protocol LL', change: { proto: 'LL' } },
    { title: 'protocol Simple', change: { proto: 'Simple' } },
  ]);
});

test('ranks that share a GPU are said to take turns, because no experiment here can remove that', () => {
  assert.equal(found('shared-gpu', { sharesGpu: 'mps' }), 'needs a GPU for each rank');
  assert.equal(found('shared-gpu', { options: { shareGpu: 'true' } }), 'each rank has a GPU');
  const row = ncclCauses.find(({ id }) => id === 'shared-gpu');
  assert.equal(row?.suspicion?.({ ...operation, sharesGpu: 'turns' }, cpus)?.share, 1);
  assert.equal(row?.suspicion?.(operation, cpus), null);
});

test('direct access between the GPUs is tried for other transports, if each rank has a GPU of this host', () => {
  assert.match(String(found('transport')), /directly/);
  assert.deepEqual(found('transport', { transport: 'socket' }), [
    { title: 'transport p2p', change: { transport: 'p2p' } },
  ]);
  assert.match(String(found('transport', { transport: 'socket', sharesGpu: 'mps' })), /a GPU for each rank/);
  const hosts = ['a', 'b'].map((name) => ({ name, ranks: 1, text: name }));
  assert.match(String(found('transport', { transport: 'socket', hosts })), /several hosts/);
});
