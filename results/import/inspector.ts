import { addTo, fieldsOf, isFields, lookUp, type RecordFields } from '../collections.ts';
import type { CollectiveName, OperationName } from '../schema/index.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  notPrinted,
  plainRow,
  shortenText,
} from './imported-output.ts';
import type { ImportSource } from './source.ts';
import { jobOfOrderedTrace, type OrderedCall } from './traces/ordered.ts';

const isRecord = (value: unknown): value is RecordFields =>
  isFields(value) && isFields(value.header) && (isFields(value.coll_perf) || isFields(value.p2p_perf));

export const isInspector = ({ records }: ImportSource): boolean => records.some(isRecord);

const collectives: Record<string, CollectiveName> = {
  AllReduce: 'allreduce',
  AllGather: 'allgather',
  ReduceScatter: 'reducescatter',
  Broadcast: 'broadcast',
  Reduce: 'reduce',
  AlltoAll: 'alltoall',
  AllToAll: 'alltoall',
  Gather: 'gather',
  Scatter: 'scatter',
};

/**
 * One operation (collective, or send or receive) as one rank recorded it with NCCL Inspector. `messageBytes`: size as recorded;
 * `source`: clock that timed it, "not stated" if the record does not say.
 */
interface InspectorCall {
  operation: OperationName;
  payloadBytes: number;
  messageBytes: number;
  timeUs: number;
  source: string;
}

/**
 * Reads JSON Lines of NCCL Inspector: one record per operation, communicator and rank. A row has the median time over all
 * records of equal operation, payload and clock (`timing_source`). Records that cannot be used are counted in notices.
 * @throws ImportError if the number of ranks to import is not known (ranksIn())
 */
export function readInspector(
  { records, isWhole, strayLines }: ImportSource,
  hints: ImportHints,
): ImportedOutput {
  const usable = records.filter(isRecord);
  const ranks = ranksIn(usable, hints);
  const left = new Map<string, number>();
  const leave = (why: string) => left.set(why, (left.get(why) ?? 0) + 1);
  if (strayLines > 0) left.set('no whole JSON', strayLines);
  if (usable.length < records.length) left.set('no record of an operation', records.length - usable.length);
  const calls = new Map<string, InspectorCall[]>();
  const hosts = new Set<string>();
  const seenRanks = new Set<unknown>();
  for (const record of usable) {
    if (fieldsOf(record.header).n_ranks !== ranks) {
      leave('of communicators of other sizes');
      continue;
    }
    const call = callOf(record, ranks, leave);
    if (call === null) continue;
    seenRanks.add(fieldsOf(record.header).rank);
    const { hostname } = fieldsOf(record.metadata);
    if (typeof hostname === 'string') hosts.add(shortenText(hostname, 100));
    const key = `${call.operation} ${call.payloadBytes} ${call.source}`;
    addTo(calls, key, call);
  }
  const sources = new Set([...calls.values()].map(([call]) => call?.source));
  const rows = [...calls.values()]
    .map((same) => rowOf(same, sources.size > 1))
    .sort((a, b) => a.payloadBytes - b.payloadBytes);
  const job = jobIn(usable, ranks);
  return {
    ...notPrinted,
    series: 'inspector',
    program: 'NCCL Inspector',
    engine: 'nccl',
    ranks,
    // If ranks are missing in the file, their hosts are unknown.
    hosts: seenRanks.size === ranks ? [...hosts] : [],
    statistic: 'median (a time really seen) over operations, communicators and ranks of the file',
    method: { clock: [...sources].join(' and ') || 'not stated', sync: 'unknown', batch: 1 },
    rows,
    complete: isWhole && strayLines === 0 && rows.length > 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'message size: of one rank’s part where the bandwidth printed says so, x ranks = payload',
    ],
    unknown: ['data type', 'reduction', 'root', 'in place or not', 'transport', 'algorithm'],
    ...(job === null ? {} : { says: job.says, job: job.job }),
    notices: [...left].map(([why, count]) => `${count} records are left out: ${why}`),
  };
}

/**
 * Makes a job for replay from the calls of the lowest recorded rank, in the order of the records. Receives are left out, since a
 * send is replayed with its receive. Only communicators of `ranks` ranks are used. Null if there are no calls, or only one rank.
 */
function jobIn(
  records: readonly RecordFields[],
  ranks: number,
): { job: NonNullable<ImportedOutput['job']>; says: string[] } | null {
  const whole = records.filter(({ header }) => fieldsOf(header).n_ranks === ranks);
  const rank = Math.min(...whole.map(({ header }) => Number(fieldsOf(header).rank)));
  const calls = whole
    .filter(({ header }) => fieldsOf(header).rank === rank)
    .flatMap((record): OrderedCall[] => {
      const call = callOf(record, ranks, () => undefined);
      const isReceive = fieldsOf(record.p2p_perf).p2p === 'Recv';
      if (call === null || isReceive) return [];
      const { operation, payloadBytes } = call;
      return [{ operation, dtype: 'uint8', payloadBytes, isBlocking: false }];
    });
  if (calls.length === 0 || ranks < 2) return null;
  const leftOut = [
    'records have no types: calls are replayed as bytes',
    'calls that Inspector did not record are missing: it keeps the last one of each communicator between two dumps',
  ];
  const { says, ...job } = jobOfOrderedTrace({
    ...{ what: `NCCL Inspector, rank ${rank}`, ranks, calls, members: new Map(), leftOut },
  });
  return { job, says };
}

/**
 * Returns the number of ranks of the communicators to import, from --ranks or from the records.
 * @throws ImportError if communicators have different sizes and the user chose none, if none has the chosen size, or if no record
 * states one
 */
function ranksIn(records: readonly RecordFields[], hints: ImportHints): number {
  const counts = new Map<number, number>();
  for (const { header } of records) {
    const ranks = fieldsOf(header).n_ranks;
    if (typeof ranks === 'number' && Number.isInteger(ranks) && ranks >= 1 && ranks <= 1e6)
      counts.set(ranks, (counts.get(ranks) ?? 0) + 1);
  }
  const found = [...counts.keys()].sort((a, b) => a - b);
  if (hints.ranks !== null) {
    if (counts.has(hints.ranks)) return hints.ranks;
    throw new ImportError(
      `--ranks ${hints.ranks}: the communicators are of ${found.join(', ') || 'no'} ranks`,
    );
  }
  const [only, second] = found;
  if (only === undefined)
    throw new ImportError('no record says how many ranks its communicator has (n_ranks)');
  if (second === undefined) return only;
  throw new ImportError(
    `the records are of communicators of ${found.slice(0, 8).join(', ')} ranks`,
    ['allowed: one of them, with --ranks'],
    {
      ranks: String(found.at(-1)),
    },
  );
}

function callOf(record: RecordFields, ranks: number, leave: (why: string) => void): InspectorCall | null {
  const isCollective = isFields(record.coll_perf);
  const perf = fieldsOf(isCollective ? record.coll_perf : record.p2p_perf);
  const field = (name: string): unknown => perf[`${isCollective ? 'coll' : 'p2p'}_${name}`];
  const name = String(isCollective ? perf.coll : perf.p2p);
  const operation = isCollective
    ? lookUp(collectives, name)
    : name === 'Send' || name === 'Recv'
      ? 'send'
      : undefined;
  // Other programs that write such records print fractions of microseconds, and use another name for the bandwidth.
  const [bytes, timeUs] = [field('msg_size_bytes'), field('exec_time_us')];
  const algbw = field('algobw_gbs') ?? field('algbw_gbs');
  if (operation === undefined) {
    leave(`of an operation that is not known: ${shortenText(name, 40)}`);
    return null;
  }
  if (!Number.isSafeInteger(bytes) || (bytes as number) < 0 || !Number.isFinite(timeUs)) {
    leave('without a whole number of bytes and a number of microseconds');
    return null;
  }
  if ((timeUs as number) <= 0) {
    leave('of 0 microseconds');
    return null;
  }
  // The bandwidth was computed from the whole payload, so it shows whether the size is that of one rank's part. It is printed with
  // six decimals.
  const whole = Number(algbw) * 1000 * (timeUs as number);
  // A time with two decimals was rounded, while the bandwidth was computed from the exact time.
  const half = Number.isInteger(timeUs) ? 0 : 0.005 / (timeUs as number);
  const open = 0.5e-6 * 1000 * (timeUs as number) + (1e-6 + half) * whole;
  const fitting = [...new Set([1, ranks])].filter(
    (factor) => Math.abs(whole - (bytes as number) * factor) <= open,
  );
  const [parts, other] = fitting;
  if (parts === undefined || (other !== undefined && bytes !== 0)) {
    leave(
      parts === undefined
        ? 'whose size, time and bandwidth contradict each other'
        : 'too small to tell whether the size is that of one part or of all',
    );
    return null;
  }
  const source = field('timing_source');
  return {
    operation,
    messageBytes: bytes as number,
    payloadBytes: (bytes as number) * parts,
    timeUs: timeUs as number,
    source: typeof source === 'string' ? shortenText(source, 40) : 'not stated',
  };
}

function rowOf(same: readonly InspectorCall[], hasSources: boolean): ImportedRow {
  const [first] = same as [InspectorCall];
  const times = same.map(({ timeUs }) => timeUs).sort((a, b) => a - b);
  /** Returns the percentile `mille` / 10 in us by the nearest-rank method, so the result is a time that really occurred. */
  const at = (mille: number) => times[Math.max(0, Math.ceil((mille * times.length) / 1000) - 1)] as number;
  return {
    ...plainRow,
    operation: first.operation,
    variant: hasSources ? first.source : '',
    dtype: 'unknown',
    payloadBytes: first.payloadBytes,
    count: first.payloadBytes,
    trial: 'isolated',
    timeNs: Math.round(at(500) * 1000),
    reason: null,
    minNs: Math.round(at(1) * 1000),
    maxNs: Math.round(at(1000) * 1000),
    p95Ns: times.length >= 20 ? Math.round(at(950) * 1000) : null,
    p99Ns: times.length >= 100 ? Math.round(at(990) * 1000) : null,
    samples: times.length,
    printed: {
      msg_size_bytes: String(first.messageBytes),
      exec_time_us: String(at(500)),
      records: String(times.length),
    },
  };
}
