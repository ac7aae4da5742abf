import type { ImportedRow } from '../import/imported-output.ts';
import { durationText } from '../units.ts';
import type { Communicator } from './communicators.ts';
import { dtypeOf, functionRow, payloadBytes, requestedBytes } from './functions.ts';
import type { RecordedCall } from './read.ts';
import { nearestRank, timeOf } from './waits.ts';

interface CallTime {
  call: RecordedCall;
  ns: number;
}

/**
 * Returns the times of recorded calls as table rows, one for each combination of function, payload, data type, algorithm and root,
 * by ascending payload. A row's time is the median over its calls. Only communicators of `ranks` ranks are used, and only calls
 * that have a time and a known operation.
 */
export function rowsOf(communicators: readonly Communicator[], ranks: number): ImportedRow[] {
  const byPoint = new Map<string, { communicator: Communicator; same: CallTime[] }>();
  for (const communicator of communicators) {
    if (communicator.ranks !== ranks) continue;
    for (const one of timesOf(communicator)) {
      const { call } = one;
      const key = [
        call.function,
        payloadBytes(call, communicator),
        call.dtype,
        call.algorithm,
        call.root,
      ].join(' ');
      const found = byPoint.get(key);
      if (found === undefined) byPoint.set(key, { communicator, same: [one] });
      else found.same.push(one);
    }
  }
  return [...byPoint.values()]
    .map(({ communicator, same }) => foundRow(communicator, same))
    .sort((a, b) => a.payloadBytes - b.payloadBytes);
}

/**
 * Returns the times in ns of a communicator's calls that have a known operation. For a collective on all ranks it is the shortest
 * time of any rank: that rank arrived last, so its time includes no waiting. Each rank's time is returned for messages, and also
 * for collectives if no call was matched over all ranks.
 */
function timesOf({ matched, members, source }: Communicator): CallTime[] {
  const met = matched.flatMap((same): CallTime[] => {
    const times = same.map((call) => timeOf(call, source));
    const [call] = same;
    if (call === undefined || times.some((ns) => ns === null)) return [];
    return [{ call, ns: Math.min(...(times as number[])) }];
  });
  const alone = members.flatMap(({ calls }) =>
    calls.flatMap((call): CallTime[] => {
      if (functionRow(call).isTogether && matched.length > 0) return [];
      const ns = timeOf(call, source);
      return ns === null ? [] : [{ call, ns }];
    }),
  );
  return [...met, ...alone].filter(({ call }) => functionRow(call).operation !== null);
}

function foundRow(communicator: Communicator, same: readonly CallTime[]): ImportedRow {
  const [{ call }] = same as [CallTime];
  const times = same.map(({ ns }) => ns).sort((a, b) => a - b);
  const median = nearestRank(times, 500);
  return {
    operation: functionRow(call).operation ?? 'copy',
    variant: call.algorithm,
    dtype: dtypeOf(call),
    op: null,
    root: call.root,
    inPlace: false,
    payloadBytes: payloadBytes(call, communicator),
    count: dtypeOf(call) === 'unknown' ? requestedBytes(call) : call.count,
    trial: 'isolated',
    timeNs: median > 0 ? median : null,
    reason: median > 0 ? null : 'a time of 0 ns',
    minNs: nearestRank(times, 1),
    maxNs: nearestRank(times, 1000),
    p95Ns: times.length >= 20 ? nearestRank(times, 950) : null,
    p99Ns: times.length >= 100 ? nearestRank(times, 990) : null,
    samples: times.length,
    wrong: null,
    printed: { function: call.function, calls: String(times.length), median: durationText(median) },
  };
}
