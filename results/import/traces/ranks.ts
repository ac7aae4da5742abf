import { sum } from 'simple-statistics';
import { durationText, percentText, plural } from '../../units.ts';
import { ImportError } from '../imported-output.ts';
import type { TraceCall } from './calls.ts';
import type { MarkedSteps } from './steps.ts';

/**
 * Calls and steps of one rank's trace, to be combined with the traces of other ranks. `rank` is null if the trace does not state
 * it.
 */
export interface RankTrace {
  rank: number | null;
  calls: readonly TraceCall[];
  steps: MarkedSteps | null;
}

export interface WaitTimes {
  /**
   * Time of data transfer per step, us: the sum over calls of the shortest time on any rank that takes part. If ranks make calls in
   * different groups, it is the largest sum of any rank. `waitingUs`: the rest of each rank's time in collectives per step, spent
   * waiting for other ranks. Both are for the whole trace if it has no steps.
   */
  movingUs: number;
  waitingUs: { rank: number; us: number }[];
}

const wordsOf = ({ operation, dtype, payloadBytes }: TraceCall) =>
  `${operation} of ${payloadBytes} bytes ${dtype}`;

/**
 * Separates the time in which ranks wait for each other from the time in which data move. Call k of one rank corresponds to call k
 * of every other rank. Clocks of ranks need not agree: a call ends on all ranks when the last one has joined and the data have
 * arrived, so the shortest time of a call on any rank contains the least waiting. A trace that states no rank gets its position in
 * the list as rank.
 * @throws ImportError if two traces are of the same rank, or if their calls differ
 */
export function waitingOf(traces: readonly RankTrace[]): WaitTimes {
  const named = traces.map((trace, i) => ({ ...trace, rank: trace.rank ?? i }));
  const twice = named.find(({ rank }, i) => named.findIndex((one) => one.rank === rank) < i);
  if (twice !== undefined)
    throw new ImportError(`two traces are of rank ${twice.rank}`, ['  one trace per rank of one job']);
  const ordered = named.map((trace) => ({
    ...trace,
    calls: [...trace.calls].sort((a, b) => a.startUs - b.startUs),
  }));
  const [first, ...others] = ordered;
  if (first === undefined) return { movingUs: 0, waitingUs: [] };
  for (const { rank, calls } of others) requireAlike(first, { rank, calls });
  const steps = first.steps?.spans.length ?? 1;
  const movingOf = ({ calls }: (typeof ordered)[number]) =>
    sum(
      calls.map(({ members }, i) => {
        const own = ordered.filter(({ rank }) => members === undefined || members.includes(rank));
        return Math.min(...own.map((one) => one.calls[i]?.durUs ?? 0));
      }),
    ) / steps;
  const waitingUs = ordered.map((trace) => {
    const movingUs = movingOf(trace);
    return { rank: trace.rank, us: sum(trace.calls.map(({ durUs }) => durUs)) / steps - movingUs };
  });
  return { movingUs: Math.max(...ordered.map(movingOf)), waitingUs };
}

function requireAlike(
  one: { rank: number; calls: readonly TraceCall[] },
  other: { rank: number; calls: readonly TraceCall[] },
): void {
  const most = Math.max(one.calls.length, other.calls.length);
  for (let i = 0; i < most; i += 1) {
    const [a, b] = [one.calls[i], other.calls[i]];
    if (a !== undefined && b !== undefined && wordsOf(a) === wordsOf(b)) continue;
    const what = (call: TraceCall | undefined) => (call === undefined ? 'none' : wordsOf(call));
    throw new ImportError(
      `collective ${i + 1} differs: rank ${one.rank} has ${what(a)}, rank ${other.rank} ${what(b)}`,
      ['  traces of the same steps of one job can be imported together'],
    );
  }
}

/**
 * Returns sentences on the times of moving data and of waiting. With more than 4 ranks, only the ones that wait least and most are
 * named.
 * @param hasSteps true if the times are per step; false if they are for the whole trace
 */
export function waitTimeSentences({ movingUs, waitingUs }: WaitTimes, hasSteps: boolean): string[] {
  const sorted = [...waitingUs].sort((a, b) => a.us - b.us);
  const shown = sorted.length <= 4 ? waitingUs : [sorted[0], sorted.at(-1)].flatMap((one) => one ?? []);
  const each = shown.map(({ rank, us }) => {
    const all = us + movingUs;
    return `rank ${rank} waits ${durationText(us * 1000)}${all > 0 ? ` (${percentText(us / all)} of its time in collectives)` : ''}`;
  });
  return [
    `collectives of ${hasSteps ? 'a step' : 'the trace'} over ${plural(waitingUs.length, 'rank')}: moving ${durationText(movingUs * 1000)} at most, the shortest time of each collective over ranks`,
    `waiting for other ranks: ${each.join(', ')}`,
  ];
}
