import type { AgentMessage } from './protocol.ts';

/** Ranks as sentences of agents and ranks name them: "rank 3", "ranks 0-2, 5". */
const named = /\b(ranks?) (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)/g;
/** Numbers written in place of ranges, in one text: no launch has more ranks. */
const mostRanks = 4096;

/**
 * What an agent tells of a launch that is a part of the run, where ranks count from 0, in numbers of the run. Messages that
 * are data of the launch (exchange, ready, measured) stay in its own numbers.
 * @param members by launch: ranks of the run, by their rank in the launch
 */
export function toRunRanks(
  message: AgentMessage,
  members: ReadonlyMap<number, readonly number[]>,
): AgentMessage {
  if (message.type !== 'failed' && message.type !== 'log' && message.type !== 'output') return message;
  const ranks = members.get(message.launch);
  if (ranks === undefined) return message;
  const number = (rank: number): number => ranks[rank] ?? rank;
  if (message.type === 'log')
    return { ...message, rank: number(message.rank), text: renumberRanks(message.text, number) };
  if (message.type === 'output') return { ...message, rank: number(message.rank) };
  return {
    ...message,
    rank: message.rank === null ? null : number(message.rank),
    reason: renumberRanks(message.reason, number),
    ranks: message.ranks.map((one) => ({
      ...one,
      rank: number(one.rank),
      logTail: one.logTail.map((line) => renumberRanks(line, number)),
    })),
  };
}

/** "rank 1 on gpu01 lost rank 0" with other numbers; ranges are written out, as long as there are not too many ranks. */
export function renumberRanks(text: string, number: (rank: number) => number): string {
  let left = mostRanks;
  return text.replace(named, (_, word: string, list: string) => {
    const ranks = list.split(', ').flatMap((part): (string | number)[] => {
      const [low, high = low] = part.split('-').map(Number) as [number, number?];
      left -= Math.max(0, high - low) + 1;
      if (left < 0 || high < low) return [part];
      return Array.from({ length: high - low + 1 }, (_none, i) => number(low + i));
    });
    return `${word} ${ranks.join(', ')}`;
  });
}
