import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fieldsOf, isFields, type RecordFields } from '../collections.ts';
import { jsonOrNull } from '../files/json.ts';
import { readLines } from '../store/lines.ts';

/**
 * One call of NCCL, MPI or Gloo that a process made while `collbench record` watched it. `root` and `peer` are ranks as the library
 * passed them, null if the call has none. `algorithm` is algorithm and protocol, "" if not known.
 */
export interface RecordedCall {
  sequence: number;
  /** Name of the function without the library's prefix: "AllReduce" for NCCL, "Allreduce" for MPI. */
  function: string;
  count: number;
  /** Name of the data type: "ncclFloat32", "MPI_FLOAT"; null = not known, or the call has none. */
  dtype: string | null;
  /** Bytes of all `count` elements together; null if the record does not state them, because they follow from the data type. */
  bytes: number | null;
  root: number | null;
  peer: number | null;
  /** True for calls of a replayed CUDA graph, and for calls during its capture. */
  isGraph: boolean;
  /** True if the call returned before its operation was complete, like nonblocking calls. */
  isIssue: boolean;
  algorithm: string;
  /**
   * Start of the call on the host's clock, ns since the start of this record; jobOfRecords() converts it to the job's common clock.
   */
  startNs: number;
  /** Nanoseconds that the host spent in the call. For Gloo, the time until the operation was complete. 0 if not known. */
  ns: number;
  /** Start (`atNs`) and duration of the call's kernels in ns, on the device's own clock; null if they were not timed. */
  device: { atNs: bigint; ns: number } | null;
}

/**
 * All calls on one communicator that one process recorded. `rank` is its rank in this communicator, which has `ranks` ranks.
 * `lostCalls` and `lostDeviceTimes`: numbers of calls and of kernel times that the recorder lost.
 */
export interface RankRecord {
  source: 'nccl' | 'mpi' | 'gloo';
  communicator: string;
  name: string;
  ranks: number;
  rank: number;
  /** Rank of the process in the whole job, as the launcher's environment variables state it; null if they do not. */
  worldRank: number | null;
  host: string;
  pid: number;
  /** Path of the executable of the process that made the calls. */
  program: string;
  library: { path: string; version: string; sha256: string | null };
  /** CLOCK_MONOTONIC in ns at the start of the record. `realtimeNs` is the wall clock at that time. */
  monotonicNs: bigint;
  realtimeNs: bigint;
  calls: RecordedCall[];
  lostCalls: number;
  lostDeviceTimes: number;
  /** Number of recorded calls that were only counted, because the process made more than `maxCalls` on the communicator. */
  leftOut: number;
  /**
   * True if the record ends with its last line: the communicator was closed, or the process exited normally. False if it was
   * killed.
   */
  isWhole: boolean;
}

/** Highest number of calls kept for one communicator in one process. Further calls are only counted. */
const maxCalls = 500_000;

const whole = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);
const wholeOrNull = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const big = (value: unknown): bigint => (/^\d{1,19}$/.test(text(value)) ? BigInt(text(value)) : 0n);

/**
 * Reads the records of all processes in `folder` that made at least one call, in the order of the file names.
 * @param token identifies the `collbench record` whose records are read; null = all records
 * @throws StoreError if a file is not a plain file; the error of the file system if `folder` cannot be read
 */
export async function readRecordsOf(folder: string, token: string | null): Promise<RankRecord[]> {
  const records: RankRecord[] = [];
  for (const file of await recordFilesIn(folder)) {
    const record = await readRankRecord(path.join(folder, file), token);
    if (record !== null && record.calls.length > 0) records.push(record);
  }
  return records;
}

export const recordFilesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith('.ndjson')).sort();

/**
 * Reads a record file; lines that cannot be parsed are skipped. Null if the file does not exist, has no header as its first line
 * that can be parsed, or if its header has another `token`.
 * @param token expected token of the `collbench record` that wrote the file; null = any
 * @throws StoreError if it is not a plain file
 */
export async function readRankRecord(file: string, token: string | null): Promise<RankRecord | null> {
  let record: RankRecord | null = null;
  const byNumber = new Map<number, RecordedCall>();
  for await (const { text: line } of readLines(file)) {
    const fields = parsed(line);
    // A line is incomplete if the process was killed or the disk was full. Lines that follow, if any, are complete again.
    if (fields === null) continue;
    if (record === null) {
      if (fields.t !== 'header' || (token !== null && fields.token !== token)) return null;
      record = begun(fields);
    } else {
      enter(record, byNumber, fields);
    }
  }
  return record;
}

function parsed(line: string): RecordFields | null {
  const value = jsonOrNull(line);
  return isFields(value) ? value : null;
}

const begun = (fields: RecordFields): RankRecord => ({
  source: fields.source === 'mpi' || fields.source === 'gloo' ? fields.source : 'nccl',
  communicator: text(fields.comm),
  // PyTorch uses the name "undefined" for a group without a description.
  name: fields.source === 'gloo' && fields.name === 'undefined' ? '' : text(fields.name),
  ranks: whole(fields.ranks),
  rank: whole(fields.rank),
  worldRank: wholeOrNull(fields.worldRank),
  host: text(fields.host),
  pid: whole(fields.pid),
  program: text(fields.program),
  library: { path: text(fields.library), version: text(fields.libraryVersion), sha256: null },
  monotonicNs: big(fields.monotonicNs),
  realtimeNs: big(fields.realtimeNs),
  calls: [],
  lostCalls: 0,
  lostDeviceTimes: 0,
  leftOut: 0,
  isWhole: false,
});

function enter(record: RankRecord, byNumber: Map<number, RecordedCall>, fields: RecordFields): void {
  if (fields.t === 'call') {
    if (record.calls.length >= maxCalls) {
      record.leftOut += 1;
      return;
    }
    const call = callOf(fields);
    record.calls.push(call);
    byNumber.set(whole(fields.k), call);
  } else if (fields.t === 'device') {
    const call = byNumber.get(whole(fields.k));
    if (call !== undefined) call.device = { atNs: big(fields.atNs), ns: whole(fields.ns) };
  } else if (fields.t === 'done') {
    const call = byNumber.get(whole(fields.k));
    if (call !== undefined) call.ns = whole(fields.ns);
  } else if (fields.t === 'library') {
    record.library.sha256 = text(fieldsOf(fields).sha256);
  } else if (fields.t === 'lost' || fields.t === 'end') {
    record.lostCalls = whole(fields.lostCalls);
    record.lostDeviceTimes = whole(fields.lostDeviceTimes);
    record.isWhole = fields.t === 'end';
  }
}

const callOf = (fields: RecordFields): RecordedCall => ({
  sequence: whole(fields.seq),
  function: text(fields.func),
  count: whole(fields.count),
  dtype: typeof fields.dtype === 'string' ? fields.dtype : null,
  bytes: wholeOrNull(fields.bytes),
  root: wholeOrNull(fields.root),
  peer: wholeOrNull(fields.peer),
  isGraph: fields.graph === true,
  isIssue: fields.issue === true,
  algorithm: [text(fields.algo), text(fields.proto)].filter((word) => word !== '').join(' '),
  startNs: whole(fields.startNs),
  ns: whole(fields.ns),
  device: null,
});
