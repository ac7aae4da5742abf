// Lines of a failure with the stacks and logs of its ranks.
import { rangesText } from '../../results/fold.ts';
import type { RankProgress } from '../protocol.ts';

/** Maximum number of different stacks that a failure shows, and the same number of different ends of logs. */
const maxShownTexts = 6;

/**
 * Returns lines with the stacks and ends of logs of the suspect, or of all ranks if `suspect` is null: "rank 3 stack: ...". Ranks
 * share lines if their stacks have the same functions, or their logs the same end. Of many different texts those of most ranks are
 * shown, and one line names the other ranks. Empty if no rank reported a text.
 */
export function forensicLines(ranks: RankProgress[], suspect: number | null): string[] {
  const chosen = suspect === null ? ranks : ranks.filter((rank) => rank.rank === suspect);
  return [
    ...sharedLines('stack', chosen, ({ stack }) => stack),
    ...sharedLines('log', chosen, ({ logTail }) => logTail),
    ...sharedLines('log of its engine', chosen, ({ engineTail }) => engineTail),
  ];
}

function sharedLines(
  what: string,
  ranks: readonly RankProgress[],
  linesOf: (rank: RankProgress) => readonly string[],
): string[] {
  const groups = new Map<string, { lines: readonly string[]; members: number[] }>();
  for (const rank of ranks) {
    const lines = linesOf(rank);
    if (lines.length === 0) continue;
    const key = lines.map((line) => line.replace(/\+0x[0-9a-f]+$/, '')).join('\n');
    const group = groups.get(key) ?? { lines, members: [] };
    group.members.push(rank.rank);
    groups.set(key, group);
  }
  const bySize = [...groups.values()].sort((a, b) => b.members.length - a.members.length);
  const others = bySize.slice(maxShownTexts).flatMap(({ members }) => members);
  return [
    ...bySize
      .slice(0, maxShownTexts)
      .flatMap(({ lines, members }) => lines.map((line) => `${ranksText(members)} ${what}: ${line}`)),
    ...(others.length === 0 ? [] : [`${ranksText(others)} ${what}: others than these`]),
  ];
}

/** Returns "rank 3" or "ranks 0-2, 5". The list must not be empty. */
export const ranksText = (ranks: readonly number[]): string =>
  `${ranks.length === 1 ? 'rank' : 'ranks'} ${rangesText(ranks)}`;
