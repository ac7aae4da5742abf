import type { Communicator } from './communicators.ts';
import type { RecordedCall } from './read.ts';

/** Who waits for whom in the collectives of one communicator. */
export interface CommunicatorWaits {
  /** Calls whose times are known on all ranks. */
  calls: number;
  /** By rank: waiting for the others inside these calls, ns together. */
  waitedNs: number[];
  /** By rank: inside these calls, ns together. */
  insideNs: number[];
  /** By rank: calls for which it came last. */
  lastIn: number[];
  /** By rank: what the others waited in these, ns together. */
  causedNs: number[];
  /** Between the first and the last rank of each call, ns, ascending. */
  spreadsNs: number[];
}

/** How long a call took on one rank: its kernels where there is a device, else the call itself; null = not timed. */
export function timeOf(call: RecordedCall, source: Communicator['source']): number | null {
  if (source === 'nccl') return call.device?.ns ?? null;
  if (source === 'gloo') return call.ns > 0 ? call.ns : null;
  return call.isIssue ? null : call.ns;
}

/**
 * A kernel of NCCL ends for all ranks together: who is inside for the shortest time came last. A call of MPI may leave earlier
 * than others; there the starts count, on the clock that processes of a host share.
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

/** Nearest rank, per mille: a value really seen. */
export const nearestRank = (ascending: readonly number[], mille: number): number =>
  ascending[Math.max(0, Math.ceil((mille * ascending.length) / 1000) - 1)] ?? 0;

export const medianOf = (values: readonly number[]): number =>
  nearestRank(
    [...values].sort((a, b) => a - b),
    500,
  );
