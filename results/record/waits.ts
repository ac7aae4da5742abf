import type { Communicator } from './communicators.ts';
import type { RecordedCall } from './read.ts';

/**
 * Times that the ranks of one communicator waited for each other in the recorded collectives. The index [rank] is the rank in this
 * communicator, not in the job.
 */
export interface CommunicatorWaits {
  /** Number of calls whose times are known on all ranks. All other fields are about these calls only. */
  calls: number;
  /** [rank] Nanoseconds that the rank waited for other ranks, sum over the calls. */
  waitedNs: number[];
  /** [rank] Nanoseconds that the rank spent in the calls, waiting included, sum over the calls. */
  insideNs: number[];
  /** [rank] Number of calls in which the rank arrived last. */
  lastIn: number[];
  /** [rank] Nanoseconds that all other ranks together waited in the calls in which this rank arrived last. */
  causedNs: number[];
  /** Time from the arrival of the first rank to that of the last one, ns; one value per call, sorted ascending. */
  spreadsNs: number[];
}

/**
 * Returns the nanoseconds of a call on one rank: of its kernels for NCCL, otherwise of the call itself. Null if these were not
 * timed, and for nonblocking calls of MPI, which return before the operation is complete.
 * @param source library whose call it is
 */
export function timeOf(call: RecordedCall, source: Communicator['source']): number | null {
  if (source === 'nccl') return call.device?.ns ?? null;
  if (source === 'gloo') return call.ns > 0 ? call.ns : null;
  return call.isIssue ? null : call.ns;
}

/**
 * Returns how long each rank waited for the others, in ns, summed over the calls whose times are known on all ranks; null if there
 * are none. An NCCL kernel ends at the same time on all ranks, so the rank with the shortest time arrived last. An MPI or Gloo call
 * may return earlier on some ranks, so the starts on the common clock show which rank arrived last.
 */
export function waitsOf({ matched, ranks, source }: Communicator): CommunicatorWaits | null {
  const none = () => Array.from({ length: ranks }, () => 0);
  const waits: CommunicatorWaits = {
    calls: 0,
    waitedNs: none(),
    insideNs: none(),
    lastIn: none(),
    causedNs: none(),
    spreadsNs: [],
  };
  for (const same of matched) {
    const times = same.map((call) => timeOf(call, source));
    if (times.some((ns) => ns === null)) continue;
    enter(waits, same, times as number[], source !== 'nccl');
  }
  waits.spreadsNs.sort((a, b) => a - b);
  return waits.calls === 0 ? null : waits;
}

function enter(
  waits: CommunicatorWaits,
  same: readonly RecordedCall[],
  times: readonly number[],
  byStart: boolean,
): void {
  const least = Math.min(...times);
  const lastStart = Math.max(...same.map(({ startNs }) => startNs));
  const waited = same.map(({ startNs }, rank) =>
    byStart ? Math.min(lastStart - startNs, times[rank] ?? 0) : (times[rank] ?? 0) - least,
  );
  waits.calls += 1;
  waits.spreadsNs.push(
    byStart ? lastStart - Math.min(...same.map(({ startNs }) => startNs)) : Math.max(...times) - least,
  );
  const last = byStart ? same.findIndex(({ startNs }) => startNs === lastStart) : times.indexOf(least);
  same.forEach((_, rank) => {
    waits.waitedNs[rank] = (waits.waitedNs[rank] ?? 0) + (waited[rank] ?? 0);
    waits.insideNs[rank] = (waits.insideNs[rank] ?? 0) + (times[rank] ?? 0);
    waits.lastIn[rank] = (waits.lastIn[rank] ?? 0) + (rank === last ? 1 : 0);
  });
  waits.causedNs[last] = (waits.causedNs[last] ?? 0) + waited.reduce((all, ns) => all + ns, 0);
}

/**
 * Returns a percentile by the nearest-rank method, so the result is one of the values; 0 for an empty list.
 * @param ascending values in ascending order
 * @param mille percentile in thousandths: 500 = median
 */
export const nearestRank = (ascending: readonly number[], mille: number): number =>
  ascending[Math.max(0, Math.ceil((mille * ascending.length) / 1000) - 1)] ?? 0;

export const medianOf = (values: readonly number[]): number =>
  nearestRank(
    [...values].sort((a, b) => a - b),
    500,
  );
