import type { HostScore, PairScore } from './outliers.ts';

const fewNamed = 4;

/** "a, b and c", at most a few of them. */
function listed(words: readonly string[]): string {
  if (words.length > fewNamed)
    return `${words.slice(0, fewNamed).join(', ')} and ${words.length - fewNamed} more`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const times = (slowdown: number): string => `${slowdown.toFixed(slowdown < 10 ? 2 : 0)} x`;

/** What the scores say, for people. */
export function outlierSentence(hosts: readonly HostScore[], pairs: readonly PairScore[]): string {
  if (pairs.length > 0 && pairs.every(({ slowdown }) => slowdown === null)) return 'No pair ran.';
  const broken = hosts.filter(({ isOutlier, slowdown }) => isOutlier && slowdown === null);
  const slow = hosts.filter(({ isOutlier, slowdown }) => isOutlier && slowdown !== null);
  const brokenPairs = pairs.filter(({ isOutlier, slowdown }) => isOutlier && slowdown === null);
  const slowPairs = pairs.filter(({ isOutlier, slowdown }) => isOutlier && slowdown !== null);
  const worstFirst = <T extends { slowdown: number | null }>(items: readonly T[]): T[] =>
    [...items].sort((x, y) => (y.slowdown ?? 0) - (x.slowdown ?? 0));
  const between = ({ a, b }: PairScore) => `${a} - ${b}`;
  const withTimes = (name: string, slowdown: number | null) => `${name} (${times(slowdown ?? 1)})`;
  const parts = [
    [broken, 'does not run with any partner', 'do not run with any partner', broken.map(({ name }) => name)],
    [
      slow,
      'is slow with all its partners',
      'are slow with all their partners',
      worstFirst(slow).map(({ name, slowdown }) => withTimes(name, slowdown)),
    ],
    [brokenPairs, 'does not run', 'do not run', brokenPairs.map(between)],
    [
      slowPairs,
      'is slow though both its hosts are not',
      'are slow beyond what their hosts make expect',
      worstFirst(slowPairs).map((pair) => withTimes(between(pair), pair.slowdown)),
    ],
  ] as const;
  const found = parts.flatMap(([items, one, many, words]) =>
    items.length === 0 ? [] : [`${listed(words)} ${items.length === 1 ? one : many}`],
  );
  if (found.length > 0) return `${found.join('; ')}.`;
  if (hosts.length < 3) return 'Of two hosts, which one is slow cannot be told.';
  return `Among ${hosts.length} hosts and ${pairs.length} pairs none stands out.`;
}
