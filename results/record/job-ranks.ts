import { isJobGroup, layoutOf } from '../import/traces/groups.ts';
import type { JobGroup } from '../schema/index.ts';
import type { Communicator, RecordedJob } from './communicators.ts';
import type { RankRecord } from './read.ts';

/**
 * Number of ranks of a recorded job, and the groups of ranks that its communicators form. Each communicator numbers its own ranks
 * from 0; the groups are in ranks of the job.
 */
export interface JobRanks {
  ranks: number;
  /**
   * Returns the group of ranks that form a communicator; undefined = all ranks of the job. Null if the ranks form no group that a
   * job can have (equal size and stride), or if their numbers in the job are not known.
   */
  groupOf(communicator: Communicator): JobGroup | undefined | null;
}

const processOf = ({ host, pid }: RankRecord): string => `${host} ${pid}`;

/**
 * Numbers the ranks of a recorded job: as in a communicator that contains all processes, else as the launcher numbered them.
 * @param main communicator whose ranks are taken as all ranks of the job if neither numbering is known
 */
export function worldOf({ communicators }: RecordedJob, main: Communicator): JobRanks {
  const numbers = numbersOf(communicators.filter(({ source }) => source === main.source));
  const ranks = numbers === null ? main.ranks : Math.max(numbers.size, main.ranks);
  return {
    ranks,
    groupOf({ members, ranks: size }) {
      if (size === ranks) return undefined;
      const found = members.flatMap((one) => numbers?.get(processOf(one)) ?? []);
      if (found.length !== size) return null;
      const layout = layoutOf(found, ranks);
      return isJobGroup(layout) ? layout : null;
    },
  };
}

/**
 * Returns the rank in the job of the process that left a record; null if it is not known, or if, with the same library, some
 * process has several ranks of one communicator.
 */
export type RankNumbering = (record: RankRecord) => number | null;

export function numberingOf({ communicators }: RecordedJob): RankNumbering {
  const sources = [...new Set(communicators.map(({ source }) => source))];
  const bySource = new Map(
    sources.map((source) => {
      const own = communicators.filter((one) => one.source === source);
      const isOneEach = own.every(({ members }) => new Set(members.map(processOf)).size === members.length);
      return [source, isOneEach ? numbersOf(own) : null];
    }),
  );
  return (record) => bySource.get(record.source)?.get(processOf(record)) ?? null;
}

/** Highest number of ranks that the name of a communicator lists. */
const maxNamed = 8;

/**
 * Returns the name of a communicator for readers: its own name; else "communicator (ranks 0, 2)", or "communicator (16 ranks: 0, 1,
 * ...)" with the first eight if there are more; else "communicator ID" if its ranks in the job are not known. A further MPI
 * communicator of the same ranks has a number: "communicator 2 (ranks 0, 2)".
 * @param numberOf gives the rank in the job of a record's process
 */
export function nameOf({ id, name, source, members, ranks }: Communicator, numberOf: RankNumbering): string {
  if (name !== '') return name;
  const numbers = members.flatMap((one) => numberOf(one) ?? []);
  if (numbers.length < ranks) return `communicator ${id}`;
  const shown = numbers.slice(0, maxNamed).map(String);
  const words =
    ranks > maxNamed
      ? `${ranks} ranks: ${shown.join(', ')}, ...`
      : `${ranks === 1 ? 'rank' : 'ranks'} ${shown.join(', ')}`;
  // MPI may have several communicators of the same ranks: the suffix of the id distinguishes them.
  const [, again] = (source === 'mpi' && /\.([1-9]\d*)$/.exec(id)) || [];
  return `communicator${again === undefined ? '' : ` ${Number(again) + 1}`} (${words})`;
}

/**
 * Returns the rank of each process in the job, by "HOST PID": as in a communicator that contains all processes, else as the
 * launcher numbered them. Null if neither is known.
 * @param own communicators of one library (NCCL, MPI or Gloo)
 */
function numbersOf(own: readonly Communicator[]): ReadonlyMap<string, number> | null {
  const processes = new Set(own.flatMap(({ members }) => members.map(processOf)));
  return (
    own.map(numbersIn).find((one) => one !== null && one.size === processes.size) ??
    toldNumbers(own.flatMap(({ members }) => members))
  );
}

/**
 * Returns the rank of each process in this communicator, by "HOST PID". Null if a process has several ranks in it, or if a rank
 * left no record.
 */
function numbersIn({ members, ranks }: Communicator): ReadonlyMap<string, number> | null {
  const numbers = new Map(members.map((one) => [processOf(one), one.rank]));
  return numbers.size === ranks ? numbers : null;
}

function toldNumbers(records: readonly RankRecord[]): ReadonlyMap<string, number> | null {
  const numbers = new Map<string, number>();
  for (const record of records)
    if (record.worldRank !== null) numbers.set(processOf(record), record.worldRank);
  const all = new Set(records.map(processOf)).size;
  const isWhole = numbers.size === all && new Set(numbers.values()).size === all;
  return isWhole && Math.max(...numbers.values()) === all - 1 ? numbers : null;
}
