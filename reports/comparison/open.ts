// Size ranges without a verdict. If there are few, the tables show them; if there are many, one sentence counts them by reason.
import { addTo } from '../../results/collections.ts';
import { changesRangeText } from '../../results/judge/verdict-text.ts';
import type { GateGroup, GroupChange, PairOfRuns } from '../../results/schema/index.ts';
import { formatCount } from '../wording.ts';

/**
 * Maximum number of size ranges without a verdict that tables show. If there are more, tables hide all of them, and one sentence
 * sums them up.
 */
const maxOpenRanges = 3;
const maxReasons = 3;

const isOpen = ({ change }: GroupChange): boolean => change.verdict === 'not-enough-data';

/**
 * True if a single size of this size range is slower or faster by its own verdict. Tables then show the range, because such sizes
 * are listed below their range.
 */
const hasChangedSize = ({ cells }: PairOfRuns, { key }: GroupChange): boolean =>
  cells.some(
    ({ group, change }) => group === key && (change.verdict === 'slower' || change.verdict === 'faster'),
  );

/**
 * Returns the size ranges (small, middle or large sizes of one series) that tables hide. They have no verdict, and no single size
 * in them has changed. Empty if there are at most `maxOpenRanges` of them, which the tables then show.
 */
export function hiddenGroups(pair: PairOfRuns): GroupChange[] {
  return hiddenIfMany(pair.groups.filter((group) => isOpen(group) && !hasChangedSize(pair, group)));
}

export const hiddenIfMany = <T>(open: T[]): T[] => (open.length > maxOpenRanges ? open : []);

/**
 * Change of time in a size range without a verdict, with the reason for that and its kind (`doubt`). `ratio`: time of the compared
 * run divided by that of the base run.
 */
export type OpenChange = Pick<GateGroup, 'doubt' | 'reason'> & { ratio: number };

/**
 * Returns a summary of the size ranges that tables hide: "no verdict in 20 of 24 size ranges (-3.0 % to +41 % time): 18 × machine
 * busy (...); 2 × the interval ...".
 * @param all number of all size ranges, hidden or not
 */
export const openSentence = (hidden: readonly OpenChange[], all: number): string =>
  `no verdict in ${formatCount(hidden.length)} of ${formatCount(all)} size ranges (${changesRangeText(hidden)}): ${countReasons(hidden)}`;

/**
 * Counts the reasons for missing verdicts by kind. Returns one text with the first reason of each kind and its number, the most
 * frequent kind first. If there is only one kind, its number is left out. After three kinds the others are only counted. '' if
 * `changes` is empty.
 */
export function countReasons(changes: readonly OpenChange[]): string {
  const kinds = new Map<string, string[]>();
  for (const { doubt, reason } of changes) {
    const text = reason ?? 'not enough data';
    // Reasons of the kind "scatter" are different ones, so each counts separately. Reasons of other kinds differ only in numbers.
    addTo(kinds, doubt === 'scatter' ? text : (doubt ?? ''), text);
  }
  const sorted = [...kinds.values()].sort((a, b) => b.length - a.length);
  const [only] = sorted;
  if (sorted.length === 1) return only?.[0] ?? '';
  const told = sorted.slice(0, maxReasons).map((same) => `${same.length} × ${same[0]}`);
  const more = sorted.length - maxReasons;
  return [...told, ...(more > 0 ? [`${more} more reasons`] : [])].join('; ');
}
