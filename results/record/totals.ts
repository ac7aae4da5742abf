import type { Communicator } from './communicators.ts';
import { requestedBytes } from './functions.ts';
import type { RecordedCall } from './read.ts';

/**
 * Sums over all recorded calls, on all ranks together, of one function of NCCL, MPI or Gloo with one data size; after byFunction(),
 * with all its sizes. `bytes`: sum of the bytes of all calls on all ranks.
 */
export interface FunctionTotal {
  source: Communicator['source'];
  function: string;
  /** Bytes of one call on one rank; null if byFunction() added several sums. */
  bytesEach: number | null;
  /** Number of calls of the function by all ranks together. */
  calls: number;
  bytes: number;
  /**
   * Nanoseconds that all ranks together spent in the calls on the host, waiting included. A nonblocking call counts until it
   * returns, but a call of Gloo until its operation is complete.
   */
  hostNs: number;
  /**
   * Nanoseconds that kernels of these calls ran, on all ranks together. `timed`: number of calls whose kernels were timed;
   * `issued`: of calls that returned before their operation was complete (0 for Gloo); `graph`: of calls in CUDA graphs.
   */
  deviceNs: number;
  timed: number;
  issued: number;
  graph: number;
}

/**
 * Returns the sums of recorded calls by function, size, and whether the call returns before its operation is complete. Sorted by
 * bytes, most first.
 */
export function totalsOf(communicators: readonly Communicator[]): FunctionTotal[] {
  const byKey = new Map<string, FunctionTotal>();
  for (const { source, members } of communicators)
    for (const { calls } of members) for (const call of calls) enter(byKey, source, call);
  return [...byKey.values()].sort((a, b) => b.bytes - a.bytes || b.hostNs - a.hostNs);
}

function enter(byKey: Map<string, FunctionTotal>, source: Communicator['source'], call: RecordedCall): void {
  const bytes = requestedBytes(call);
  // The recorded time of a Gloo call lasts until the operation is complete, so the call does not count as issued only.
  const isIssued = call.isIssue && source !== 'gloo';
  const key = `${source} ${call.function} ${bytes} ${isIssued}`;
  const total = byKey.get(key) ?? {
    source,
    function: call.function,
    bytesEach: bytes,
    ...{ calls: 0, bytes: 0, hostNs: 0, deviceNs: 0, timed: 0, issued: 0, graph: 0 },
  };
  byKey.set(key, total);
  total.calls += 1;
  total.bytes += bytes;
  total.hostNs += call.ns;
  total.deviceNs += call.device?.ns ?? 0;
  total.timed += call.device === null ? 0 : 1;
  total.issued += isIssued ? 1 : 0;
  total.graph += call.isGraph ? 1 : 0;
}

/** Adds up sums of totalsOf() to one sum for each function of a library; `bytesEach` is null if several sums were added. */
export function byFunction(totals: readonly FunctionTotal[]): FunctionTotal[] {
  const found = new Map<string, FunctionTotal>();
  for (const one of totals) {
    const key = `${one.source} ${one.function}`;
    const all = found.get(key);
    if (all === undefined) {
      found.set(key, { ...one });
      continue;
    }
    all.bytesEach = null;
    for (const field of ['calls', 'bytes', 'hostNs', 'deviceNs', 'timed', 'issued', 'graph'] as const)
      all[field] += one[field];
  }
  return [...found.values()];
}
