import { isJobGroup, layoutOf } from '../import/traces/groups.ts';
import type { JobGroup } from '../schema/index.ts';
import type { Communicator, RecordedJob } from './communicators.ts';
import type { RankRecord } from './read.ts';

/** Ranks of a job, whatever its communicators number. */
export interface World {
  ranks: number;
  /** Absent: all ranks; null = a job cannot have it, or who takes part is not known. */
  groupOf(communicator: Communicator): JobGroup | undefined | null;
}

const processOf = ({ host, pid }: RankRecord): string => `${host} ${pid}`;

/** Numbers of a communicator that has all processes, else those that launchers told. @param main whose ranks are all where neither is known */
export function worldOf({ communicators }: RecordedJob, main: Communicator): World {
  const own = communicators.filter(({ source }) => source === main.source);
  const processes = new Set(own.flatMap(({ members }) => members.map(processOf)));
  const numbers =
    own.map(numbersIn).find((one) => one !== null && one.size === processes.size) ??
    toldNumbers(own.flatMap(({ members }) => members));
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

/** Null: a process has several of its ranks, or some left no record. */
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
