import { fewestPoints, smallestStep } from './detectable.ts';
import type { Trend, TrendChange } from './trend.ts';

/** What a series, or one of its nights, is: a change is of the night that it came with, the nights after it are at its level. */
export type Verdict = 'slower' | 'faster' | 'same' | 'no-verdict';

/** A change that stays unseen above this share leaves no verdict: the gate must see as much. */
export const mostUnseen = 0.1;

export interface SeriesState {
  verdict: Verdict;
  /** The change that the verdict is of; null where there is none in the nights asked for. */
  change: TrendChange | null;
  /** Smallest change that would have been found since the last one, relative; null = too few nights. */
  step: number | null;
}

/** @param since first night of those asked for */
export function stateOf(trend: Trend, since: string): SeriesState {
  const step = smallestStep(trend);
  const change = trend.changes.findLast(({ night }) => night >= since) ?? null;
  if (change !== null) return { verdict: change.shift > 0 ? 'slower' : 'faster', change, step };
  return { verdict: step === null || step > mostUnseen ? 'no-verdict' : 'same', change, step };
}

/** Of each night of the trend, oldest first. */
export function verdictsOf(trend: Trend): Verdict[] {
  const { nights, changes, segments } = trend;
  const isFew = nights.length < fewestPoints;
  return segments.flatMap(({ from, to }, part): Verdict[] => {
    const own = { nights, kind: trend.kind, segments: [{ from, to, log: 0 }] };
    const step = smallestStep(own);
    const quiet: Verdict = isFew || (step !== null && step > mostUnseen) ? 'no-verdict' : 'same';
    const change = part === 0 ? undefined : changes[part - 1];
    const first: Verdict = change === undefined ? quiet : change.shift > 0 ? 'slower' : 'faster';
    return Array.from({ length: to - from }, (_, i) => (i === 0 ? first : quiet));
  });
}
