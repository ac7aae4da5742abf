import type { AgentMessage } from './protocol.ts';

/** Pattern of rank numbers in texts of agents and ranks: "rank 3", "ranks 0-2, 5". */
const named = /\b(ranks?) (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)/g;
/**
 * Maximum number of ranks that are renumbered in one text; no launch has more ranks. Further numbers and ranges stay as they
 * are, numbered as in the launch.
 */
const maxRanks = 4096;

/**
 * Converts rank numbers of a launch, which count from 0, to rank numbers of the run, and returns the new message. Only messages
 * `failed`, `log` and `output` of launches in `members` are converted, with the numbers in the text of logs, and in reason and
 * last log lines of a failure. The text of `output` stays as it is. Other messages (exchange, ready, measured) are returned
 * unchanged, with the numbers of the launch.
 * @param members by number of the launch: ranks of the run, indexed by rank in the launch
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

/**
 * Returns a text such as "rank 1 on gpu01 lost rank 0" with other rank numbers. Ranges such as "ranks 0-2" are expanded; after
 * `maxRanks` ranks in one text, further numbers stay as they are.
 * @param number returns the new number of a rank
 */
export function renumberRanks(text: string, number: (rank: number) => number): string {
  let left = maxRanks;
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
