import { addTo } from '../add-to.ts';
import { functionRow } from './functions.ts';
import type { RankRecord, RecordedCall } from './read.ts';

/** One communicator of a job, as its ranks recorded it. */
export interface Communicator {
  id: string;
  source: RankRecord['source'];
  name: string;
  ranks: number;
  /** Records of its ranks in ascending order; ranks without a record are missing. */
  members: RankRecord[];
  /** Matched calls; each entry has the calls of all ranks in rank order. Empty unless all ranks have a record. */
  matched: RecordedCall[][];
}

/** All records of a job. Starts of their calls are on one clock: ns from the start of the first record. */
export interface RecordedJob {
  communicators: Communicator[];
  records: RankRecord[];
  hosts: string[];
}

/** Combines the records of all processes into a job. Changes `startNs` of their calls to the common clock. */
export function jobOfRecords(records: readonly RankRecord[]): RecordedJob {
  const hosts = [...new Set(records.map(({ host }) => host))].sort();
  align(records, hosts.length > 1);
  const byId = new Map<string, RankRecord[]>();
  for (const record of records) {
    const key = `${record.source} ${record.communicator}`;
    addTo(byId, key, record);
  }
  const communicators = [...byId.values()].map(communicatorOf);
  communicators.sort((a, b) => callsIn(b) - callsIn(a));
  return { communicators, records: [...records], hosts };
}

const callsIn = ({ members }: Communicator): number =>
  members.reduce((all, { calls }) => all + calls.length, 0);

/** Moves the starts to a common clock: CLOCK_MONOTONIC within one host, the wall clocks between several hosts. */
function align(records: readonly RankRecord[], isSeveral: boolean): void {
  const startOf = (record: RankRecord) => (isSeveral ? record.realtimeNs : record.monotonicNs);
  const firstNs = records.map(startOf).sort((a, b) => (a < b ? -1 : 1))[0] ?? 0n;
  for (const record of records) {
    const offsetNs = Number(startOf(record) - firstNs);
    for (const call of record.calls) call.startNs += offsetNs;
  }
}

function communicatorOf(records: readonly RankRecord[]): Communicator {
  const members = [...records].sort((a, b) => a.rank - b.rank);
  const [first] = members as [RankRecord];
  const isWhole = members.length === first.ranks && members.every(({ rank }, i) => rank === i);
  return {
    id: first.communicator,
    source: first.source,
    name: members.find(({ name }) => name !== '')?.name ?? '',
    ranks: first.ranks,
    members,
    matched: isWhole && first.ranks > 1 ? matchedOf(members) : [],
  };
}

/**
 * Calls that all ranks made, matched by function, sequence number and occurrence. Occurrences are counted because graph replays
 * repeat sequence numbers. A call that some rank lost or had not reached is left out.
 */
function matchedOf(members: readonly RankRecord[]): RecordedCall[][] {
  const [first, ...others] = members.map(keyed) as [
    Map<string, RecordedCall>,
    ...Map<string, RecordedCall>[],
  ];
  return [...first].flatMap(([key, call]) => {
    const same = others.map((calls) => calls.get(key));
    return same.every((one) => one !== undefined) ? [[call, ...same]] : [];
  });
}

function keyed({ calls }: RankRecord): Map<string, RecordedCall> {
  const times = new Map<string, number>();
  const found = new Map<string, RecordedCall>();
  for (const call of calls) {
    if (!functionRow(call).isTogether) continue;
    const key = `${call.function} ${call.sequence}`;
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    found.set(`${key} ${time}`, call);
  }
  return found;
}
