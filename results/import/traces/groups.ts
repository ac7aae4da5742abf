import { isFields, type RecordFields } from '../../collections.ts';
import { jsonOrNull } from '../../files/json.ts';
import type { JobGroup } from '../../schema/index.ts';
import { countText } from '../../units.ts';

/**
 * The ranks that make a call together: groups of equal size and equal distance between ranks (a `JobGroup`), `all` ranks, or a
 * single rank (`alone`). `why` says why the ranks are none of these, so that the call cannot be replayed.
 */
export type CallMembers = JobGroup | 'all' | 'alone' | { why: string };

/**
 * Describes a list of ranks as groups of equal size and stride: ranks 0 and 4 of 8 are `{ size: 2, stride: 4 }`. `alone` for one
 * rank, `all` for all ranks. A reason if the list has no equal stride, or if such groups do not divide all ranks evenly.
 * @param members ranks, ascending
 * @param world number of all ranks
 */
export function layoutOf(members: readonly number[], world: number): CallMembers {
  if (members.length === 1) return 'alone';
  if (members.length === world) return 'all';
  const [first = 0, second = 0] = members;
  const [size, stride] = [members.length, second - first];
  const listed = `[${members.slice(0, 8).join(', ')}${size > 8 ? ', ...' : ''}]`;
  if (stride < 1 || members.some((rank, i) => rank !== first + i * stride))
    return { why: `ranks ${listed} are at no equal distance` };
  if (world % (size * stride) !== 0 || Math.floor(first / stride) % size !== 0)
    return { why: `ranks ${listed} are no part of ${world} that repeats` };
  return { size, stride };
}

export const isJobGroup = (layout: CallMembers): layout is JobGroup =>
  typeof layout === 'object' && 'size' in layout;

/** Parses a list of ranks such as "[0, 4]"; null if the value is no list of whole numbers >= 0, or was cut off ("..."). */
export function rankList(value: unknown): number[] | null {
  const list = typeof value === 'string' && !value.includes('...') ? jsonOrNull(value) : value;
  return Array.isArray(list) && list.every((one) => Number.isSafeInteger(one) && one >= 0) ? list : null;
}

/**
 * Returns the sentence "calls of a step by group: ..." with the number of calls that each kind of group makes, as a list of one;
 * empty if all ranks make all calls.
 * @param groups group of each call; undefined = all ranks make the call
 * @param world number of all ranks
 */
export function groupSays(groups: readonly (JobGroup | undefined)[], world: number): string[] {
  if (groups.every((group) => group === undefined)) return [];
  const counts = new Map<string, number>();
  for (const group of groups) {
    const words =
      group === undefined
        ? `all ${world} ranks`
        : `${group.size} ranks${group.stride === 1 ? ' in a row' : `, ${group.stride} apart`}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [
    `calls of a step by group: ${[...counts].map(([words, n]) => `${countText(n)} of ${words}`).join('; ')}`,
  ];
}

export interface CommunicatorGroups {
  ranks: number;
  /** Ranks of each process group by name. A group that is not listed has all ranks. */
  members: ReadonlyMap<string, readonly number[]>;
}

/**
 * Returns the process groups that nodes "## process_group:init ##" of a trace list. A group that is listed without ranks has all
 * ranks. Null if no group has two ranks or more.
 * @param texts text of each such node: a list of groups as JSON
 */
export function listedGroups(texts: readonly string[]): CommunicatorGroups | null {
  const listed = texts.flatMap((text): RecordFields[] => {
    const list = jsonOrNull(text);
    return Array.isArray(list) ? list.filter(isFields) : [];
  });
  const sizes = listed.map(({ group_size: size, ranks }) =>
    Math.max(Number(size) || 0, rankList(ranks)?.length ?? 0),
  );
  const ranks = Math.max(0, ...sizes);
  if (ranks < 2) return null;
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const members = listed.map(({ pg_name: pg, ranks: own }): [string, readonly number[]] => {
    const list = rankList(own) ?? [];
    return [String(pg), list.length === 0 ? all : list];
  });
  return { ranks, members: new Map(members) };
}
