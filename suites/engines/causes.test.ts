import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CauseRow, ExplainedMachine } from '../explain/causes.ts';
import { queueingCause } from '../explain/gpu-causes.ts';
import { gpuPlacementCause } from '../explain/placement-cause.ts';
import type { ExplainedOperation } from '../explain/variants.ts';
import { cudaCauses } from './cuda/causes.ts';
import { mpiCauses } from './mpi-causes.ts';
import { nvshmemCauses } from './nvshmem/causes.ts';

const operation: ExplainedOperation = {
  ...{ ranks: 2, series: 'p2p', transport: 'p2p', medium: 'hardware' },
  ...{ command: 'allreduce', payloadBytes: 8, options: {}, algorithm: 'one-shot', environment: {} },
  ...{ competingCores: null, throttledShare: null, retransmitsPerOperation: null },
};
const machine: ExplainedMachine = { cpus: 16, ranks: 2, loads: [], maxBufferBytes: null, numaNodes: 1 };

function found(
  row: CauseRow | undefined,
  change: Partial<ExplainedOperation> = {},
  of: Partial<ExplainedMachine> = {},
) {
  const answer = row?.interventions({ ...operation, ...change }, { ...machine, ...of });
  assert.ok(answer !== undefined);
  if ('changes' in answer) return answer.changes.map((one) => one.filter ?? one.unset ?? one.change);
  return 'absent' in answer ? answer.absent : answer.reason;
}
const rowOf = (rows: readonly CauseRow[], id: string) => rows.find((row) => row.id === id);

const launchBound = { queueing: { hostNs: 4_000, deviceNs: 3_000 } };
const gpuBound = { queueing: { hostNs: 4_000, deviceNs: 8_000 } };

test('a host that queues slower than the GPU works is a suspect, and operations queued before show its cost', () => {
  const row = queueingCause({ hasGraph: false });
  assert.deepEqual(row.suspicion?.({ ...operation, ...launchBound }, machine), {
    share: 0.25,
    text: 'the host needs 4.00 µs to queue an operation that takes 3.00 µs',
  });
  assert.deepEqual(found(row, launchBound), ['queued-before']);
  assert.equal(row.suspicion?.({ ...operation, ...gpuBound }, machine), null);
  assert.match(String(found(row, gpuBound)), /4.00 µs to queue an operation that takes 8.00 µs/);
  assert.match(String(found(row)), /not recorded/);
});

test('an engine that has graphs tries one, also where the host is fast enough', () => {
  const row = queueingCause({ hasGraph: true });
  assert.deepEqual(found(row, launchBound), [{ graph: 'true' }, 'queued-before']);
  assert.deepEqual(found(row, gpuBound), [{ graph: 'true' }]);
  assert.match(String(found(row, { options: { graph: 'true' } })), /as a CUDA graph/);
});

test('ranks of GPU engines are tried unbound if they are bound, and near their GPU if there are several NUMA nodes', () => {
  assert.deepEqual(found(gpuPlacementCause, { options: { bind: '0,1' } }), [{ bind: null }]);
  assert.match(String(found(gpuPlacementCause)), /not bound/);
  assert.deepEqual(found(gpuPlacementCause, {}, { numaNodes: 2 }), [{ bind: 'numa' }]);
  assert.deepEqual(found(gpuPlacementCause, { options: { bind: 'numa' } }, { numaNodes: 2 }), [
    { bind: null },
  ]);
});

test('the grid of the cuda engine: other numbers of blocks and threads, and its own choice if the user made one', () => {
  const grid = rowOf(cudaCauses, 'grid');
  assert.deepEqual(found(grid, { options: { blocks: '16' } }), [
    { blocks: null },
    { blocks: '64' },
    { threads: '256' },
    { threads: '1024' },
  ]);
  assert.match(String(found(grid, { transport: 'ibgda' })), /over p2p/);
  assert.match(String(found(rowOf(cudaCauses, 'algorithm'), { transport: 'ibgda' })), /one algorithm/);
});

test('tuning parameters of MPI are removed, but not those that choose the network', () => {
  const environment = {
    OMPI_MCA_coll_tuned_allreduce_algorithm: '1',
    OMPI_MCA_btl_tcp_if_include: 'eth0',
    UCX_TLS: 'tcp',
    UCX_ZCOPY_THRESH: 'inf',
    MPIR_CVAR_NOLOCAL: '1',
    MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM: 'ring',
  };
  const each = ['OMPI_MCA_coll_tuned_allreduce_algorithm', 'UCX_ZCOPY_THRESH'];
  const removed = [...each, 'MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM'];
  assert.deepEqual(found(rowOf(mpiCauses, 'environment'), { environment }), [
    removed,
    ...removed.map((name) => [name]),
  ]);
});

test('NVSHMEM: its other algorithms are tried, and variables that limit it are removed', () => {
  const algorithms = found(rowOf(nvshmemCauses, 'algorithm'));
  assert.ok(Array.isArray(algorithms));
  assert.ok(algorithms.length > 3);
  const environment = { NVSHMEM_DISABLE_P2P: '1', NVSHMEM_DISABLE_NVLS: '1' };
  assert.deepEqual(found(rowOf(nvshmemCauses, 'environment'), { environment }), [['NVSHMEM_DISABLE_P2P']]);
});
