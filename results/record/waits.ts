import type { Communicator } from './communicators.ts';
import type { RecordedCall } from './read.ts';

/** Waiting of ranks for each other in the collectives of one communicator. */
export interface CommunicatorWaits {
  /** Number of calls with known times on all ranks. */
  calls: number;
  /** Nanoseconds of waiting for other ranks, summed over these calls; [rank]. */
  waitedNs: number[];
  /** Nanoseconds inside these calls, summed; [rank]. */
  insideNs: number[];
  /** Number of calls in which the rank arrived last; [rank]. */
  lastIn: number[];
  /** Nanoseconds that the other ranks waited in the calls in which this rank arrived last; [rank]. */
  causedNs: number[];
  /** Time between the arrival of the first and the last rank, one value per call, ns, ascending. */
  spreadsNs: number[];
}

/** Nanoseconds of a call on one rank: of its kernels for NCCL, of the call itself otherwise; null = not timed. */
export function timeOf(call: RecordedCall, source: Communicator['source']): number | null {
  if (source === 'nccl') return call.device?.ns ?? null;
  if (source === 'gloo') return call.ns > 0 ? call.ns : null;
  return call.isIssue ? null : call.ns;
}

/**
 * Waiting in a communicator; null if no call has times on all ranks. A kernel of NCCL ends on all ranks together, so the rank
 * with the shortest time arrived last. A call of MPI or Gloo may return earlier than on other ranks, so the starts count, on the
 * common clock.
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

/** Percentile by nearest rank, in thousandths: always one of the given values; 0 for an empty list. */
export const nearestRank = (ascending: readonly number[], mille: number): number =>
  ascending[Math.max(0, Math.ceil((mille * ascending.length) / 1000) - 1)] ?? 0;

export const medianOf = (values: readonly number[]): number =>
  nearestRank(
    [...values].sort((a, b) => a - b),
    500,
  );
