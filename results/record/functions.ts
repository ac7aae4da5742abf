import { lookUp } from '../collections.ts';
import {
  type CollectiveName,
  collectives,
  type DtypeName,
  dtypeBytes,
  dtypeNames,
  isCollective,
  type OperationName,
} from '../schema/index.ts';
import type { RankRecord, RecordedCall } from './read.ts';

interface FunctionRow {
  /** Operation that the function runs; null if it moves no data, or if collbench has no such operation. */
  operation: OperationName | null;
  /**
   * True if the call's `count` argument is that of one rank's part of the payload; false or absent if it is that of the whole
   * payload.
   */
  isPart?: boolean;
  /** True if every rank of the communicator must make the call. */
  isTogether: boolean;
}

const together = (operation: CollectiveName): FunctionRow => ({
  operation,
  isPart: collectives[operation].countsPart,
  isTogether: true,
});
/**
 * Returns the row for a collective whose parts have unequal sizes, such as alltoallv. The recorded count is then the sum of the
 * caller's parts.
 */
const uneven = (operation: CollectiveName): FunctionRow => ({ operation, isTogether: true });

/**
 * The operation that each function of NCCL and MPI runs, whether its count is that of a part, and whether all ranks must call it.
 * Names are without the prefixes nccl and MPI_, and without the I of nonblocking calls.
 */
const rows: Record<string, FunctionRow> = {
  AllReduce: together('allreduce'),
  AllGather: together('allgather'),
  ReduceScatter: together('reducescatter'),
  Broadcast: together('broadcast'),
  AlltoAll: together('alltoall'),
  AllToAll: together('alltoall'),
  Allreduce: together('allreduce'),
  Allgather: together('allgather'),
  Reduce_scatter_block: together('reducescatter'),
  Bcast: together('broadcast'),
  Reduce: together('reduce'),
  Alltoall: together('alltoall'),
  Gather: together('gather'),
  Scatter: together('scatter'),
  Allgatherv: uneven('allgather'),
  Reduce_scatter: uneven('reducescatter'),
  Alltoallv: uneven('alltoallv'),
  Alltoallw: uneven('alltoallv'),
  Gatherv: uneven('gather'),
  Scatterv: uneven('scatter'),
  Barrier: { operation: 'barrier', isTogether: true },
  Scan: { operation: null, isTogether: true },
  Exscan: { operation: null, isTogether: true },
  Send: { operation: 'send', isTogether: false },
  Sendrecv: { operation: 'exchange', isTogether: false },
  Recv: { operation: null, isTogether: false },
};

/**
 * Functions of PyTorch's process groups (Gloo) by name in lower case: the operation, whether the count is that of a part, and
 * whether all ranks must call it.
 */
const torchRows: Record<string, FunctionRow> = {
  allreduce: together('allreduce'),
  allreduce_coalesced: together('allreduce'),
  broadcast: together('broadcast'),
  reduce: together('reduce'),
  allgather: together('allgather'),
  allgather_base: together('allgather'),
  allgather_coalesced: together('allgather'),
  allgather_into_tensor_coalesced: together('allgather'),
  reduce_scatter: together('reducescatter'),
  reduce_scatter_base: together('reducescatter'),
  reduce_scatter_tensor_coalesced: together('reducescatter'),
  alltoall: together('alltoall'),
  alltoall_base: together('alltoall'),
  alltoallv: uneven('alltoallv'),
  gather: together('gather'),
  scatter: together('scatter'),
  barrier: { operation: 'barrier', isTogether: true },
  send: { operation: 'send', isTogether: false },
  recv: { operation: null, isTogether: false },
};

const unknown: FunctionRow = { operation: null, isTogether: false };
export const functionRow = (call: RecordedCall): FunctionRow =>
  lookUp(rows, call.function) ?? lookUp(torchRows, call.function) ?? unknown;

/** True for the sending side of a point-to-point message (Send, Sendrecv); the receiving rank records its own call. */
export const isMessage = ({ function: name }: RecordedCall): boolean =>
  name === 'Send' || name === 'Sendrecv' || name === 'send';

/** True for a call that waits for earlier nonblocking operations. */
export const isWait = (call: RecordedCall): boolean => call.function === 'Wait';
/** True for the start of a persistent request, whose data size is not known. */
export const isStart = (call: RecordedCall): boolean => call.function === 'Start';

const dtypes: Record<string, DtypeName> = {
  ncclInt8: 'int8',
  ncclUint8: 'uint8',
  ncclInt32: 'int32',
  ncclUint32: 'uint32',
  ncclInt64: 'int64',
  ncclUint64: 'uint64',
  ncclFloat16: 'float16',
  ncclFloat32: 'float32',
  ncclFloat64: 'float64',
  ncclBfloat16: 'bfloat16',
  ncclFloat8e4m3: 'float8e4m3',
  ncclFloat8e5m2: 'float8e5m2',
  MPI_CHAR: 'int8',
  MPI_SIGNED_CHAR: 'int8',
  MPI_INT8_T: 'int8',
  MPI_BYTE: 'uint8',
  MPI_PACKED: 'uint8',
  MPI_UNSIGNED_CHAR: 'uint8',
  MPI_UINT8_T: 'uint8',
  MPI_C_BOOL: 'uint8',
  MPI_INT: 'int32',
  MPI_INT32_T: 'int32',
  MPI_UNSIGNED: 'uint32',
  MPI_UINT32_T: 'uint32',
  MPI_LONG: 'int64',
  MPI_LONG_LONG: 'int64',
  MPI_LONG_LONG_INT: 'int64',
  MPI_INT64_T: 'int64',
  MPI_UNSIGNED_LONG: 'uint64',
  MPI_UNSIGNED_LONG_LONG: 'uint64',
  MPI_UINT64_T: 'uint64',
  bool: 'uint8',
  float8_e4m3fn: 'float8e4m3',
  float8_e5m2: 'float8e5m2',
  MPI_FLOAT: 'float32',
  MPI_DOUBLE: 'float64',
};

export const dtypeOf = ({ dtype }: RecordedCall): DtypeName | 'unknown' =>
  (dtype === null ? undefined : (lookUp(dtypes, dtype) ?? dtypeNames.find((name) => name === dtype))) ??
  'unknown';

/** Returns the bytes of a recorded call on its rank: the recorded number, else that of `count` elements; 0 if neither is known. */
export function requestedBytes(call: RecordedCall): number {
  if (call.bytes !== null) return call.bytes;
  const dtype = dtypeOf(call);
  return dtype === 'unknown' ? 0 : call.count * dtypeBytes[dtype];
}

/**
 * Returns the payload S of a recorded call in bytes, as in the bandwidth formulas; 0 if its size is not known. For collectives in
 * which each rank has a part, S is the sum of the parts of all ranks.
 */
export const payloadBytes = (call: RecordedCall, { ranks }: Pick<RankRecord, 'ranks'>): number =>
  requestedBytes(call) * (functionRow(call).isPart === true ? ranks : 1);

export const collectiveOf = (call: RecordedCall): CollectiveName | null => {
  const { operation } = functionRow(call);
  return operation !== null && isCollective(operation) ? operation : null;
};

export const sourceName = (source: RankRecord['source']): string =>
  ({ nccl: 'NCCL', mpi: 'MPI', gloo: 'Gloo' })[source];

/**
 * Returns name and version of the library whose calls were recorded: "NCCL 2.28.9", "Gloo of PyTorch 2.15.0"; without a version
 * only the name. For MPI it is the library's own version text, or "MPI" without one.
 */
export function libraryText({ source, library }: Pick<RankRecord, 'source' | 'library'>): string {
  // MPICH's version text is "MPICH Version:\t4.0.2".
  if (source === 'mpi') return library.version.replace(/\s+Version:\s*/, ' ') || 'MPI';
  return `${source === 'nccl' ? 'NCCL' : 'Gloo of PyTorch'} ${library.version}`.trim();
}
