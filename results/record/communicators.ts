import { addTo } from '../collections.ts';
import { functionRow } from './functions.ts';
import type { RankRecord, RecordedCall } from './read.ts';

/**
 * One communicator (NCCL, MPI or Gloo) of a recorded job, combined from the record files of its ranks. `name` is "" if the program
 * gave it none; `ranks` is its number of ranks.
 */
export interface Communicator {
  id: string;
  source: RankRecord['source'];
  name: string;
  ranks: number;
  /** Records of the communicator's ranks, by ascending rank. Ranks that left no record are missing. */
  members: RankRecord[];
  /**
   * Calls that all ranks made together, in the order of rank 0; each entry has one call per rank, in rank order. Empty unless there
   * are several ranks and all of them left a record.
   */
  matched: RecordedCall[][];
}

/**
 * All records of a job, one per process and communicator. The starts of their calls are on one common clock: nanoseconds from the
 * start of the earliest record.
 */
export interface RecordedJob {
  communicators: Communicator[];
  records: RankRecord[];
  hosts: string[];
}

/**
 * Combines the record files of all processes of a recorded program to a job. It changes `startNs` of all calls to a common clock,
 * in place. Communicators are sorted by their number of recorded calls, highest first; hosts by name.
 */
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

/**
 * Changes the starts of all calls to a common clock: CLOCK_MONOTONIC if there is a single host, otherwise the hosts' wall clocks.
 * @param isSeveral true if the records come from several hosts
 */
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
 * Returns the calls that all ranks made together, matched by function, sequence number and occurrence. The occurrence is needed
 * because replays of CUDA graphs repeat sequence numbers. Left out are calls that a rank lost or never reached, and functions that
 * not every rank must call.
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
