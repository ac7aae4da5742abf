import { median } from 'simple-statistics';
import { isLarge } from '../judge/large.ts';
import { minHistoryPoints, smallestStep } from './detectable.ts';
import type { Trend, TrendChange } from './trend.ts';

/**
 * Verdict on a series, or on one of its nights. `slower` and `faster` are given to the first night of a change; the nights after
 * it are compared with the new level. `unconfirmed`: the time looks much changed from that night on, but there are too few nights
 * to prove it.
 */
export type SeriesVerdict = 'slower' | 'faster' | 'unconfirmed' | 'same' | 'no-verdict';

/** All verdicts, most urgent first. */
export const verdictOrder: readonly SeriesVerdict[] = [
  'slower',
  'unconfirmed',
  'faster',
  'no-verdict',
  'same',
];

/**
 * The verdict "same" requires that a change of this share (0.1 = 10 %) would have been detected. The gate of a suite requires the
 * same.
 */
export const maxUnseenShare = 0.1;

/** A large change of a series that too few nights show to be sure. */
export interface UnconfirmedStep {
  /** Index of the first night at the new level; `night` is its name. */
  at: number;
  night: string;
  /** Time after the change over time before it: 2 = twice as slow. */
  ratio: number;
}

export interface SeriesState {
  verdict: SeriesVerdict;
  /** The change on which the verdict is based; null if there is none since the requested night. */
  change: TrendChange | null;
  /** The change on which the verdict `unconfirmed` is based; null for other verdicts. */
  unconfirmed: UnconfirmedStep | null;
  /** Smallest relative change that would have been found since the last change: 0.05 = 5 %. Null with too few nights. */
  step: number | null;
}

/** Returns the verdict on a series. @param since first night in which changes count */
export function stateOf(trend: Trend, since: string): SeriesState {
  const step = smallestStep(trend);
  const found = unconfirmedStep(trend, trend.segments.at(-1));
  const unconfirmed = found !== null && found.night >= since ? found : null;
  const change = trend.changes.findLast(({ night }) => night >= since) ?? null;
  if (unconfirmed !== null && (change === null || change.shift < 0))
    return { verdict: 'unconfirmed', change, unconfirmed, step };
  if (change !== null)
    return { verdict: change.shift > 0 ? 'slower' : 'faster', change, unconfirmed: null, step };
  const verdict = step === null || step > maxUnseenShare ? 'no-verdict' : 'same';
  return { verdict, change, unconfirmed: null, step };
}

/** Returns the verdict on each night of the trend, oldest first. */
export function verdictsOf(trend: Trend): SeriesVerdict[] {
  const { nights, changes, segments } = trend;
  const isFew = nights.length < minHistoryPoints;
  return segments.flatMap((segment, part): SeriesVerdict[] => {
    const { from, to } = segment;
    const own = { nights, kind: trend.kind, segments: [{ from, to, log: 0 }] };
    const step = smallestStep(own);
    const quiet: SeriesVerdict = isFew || (step !== null && step > maxUnseenShare) ? 'no-verdict' : 'same';
    const change = part === 0 ? undefined : changes[part - 1];
    const first: SeriesVerdict = change === undefined ? quiet : change.shift > 0 ? 'slower' : 'faster';
    const suspect = unconfirmedStep(trend, segment)?.at;
    return Array.from({ length: to - from }, (_, i) =>
      i === 0 ? first : from + i === suspect ? 'unconfirmed' : quiet,
    );
  });
}

/**
 * Divides the nights since the last change into two parts with different levels, by the smallest sum of squares. Null unless both
 * the new level and the newest night differ much from the level before.
 */
export function unconfirmedStep(
  { nights, kind }: Pick<Trend, 'nights' | 'kind'>,
  segment: Pick<Trend['segments'][number], 'from' | 'to'> | undefined,
): UnconfirmedStep | null {
  if (segment === undefined) return null;
  const logs = nights.slice(segment.from, segment.to).map((night) => night[kind]?.log ?? 0);
  const total = logs.reduce((sum, log) => sum + log, 0);
  let [best, at, before] = [0, 0, 0];
  for (let k = 1; k < logs.length; k += 1) {
    before += logs[k - 1] as number;
    const shift = (total - before) / (logs.length - k) - before / k;
    const explained = ((k * (logs.length - k)) / logs.length) * shift ** 2;
    if (explained > best) [best, at] = [explained, k];
  }
  if (at === 0) return null;
  const base = median(logs.slice(0, at));
  const shift = median(logs.slice(at)) - base;
  const newest = (logs.at(-1) as number) - base;
  if (!isLarge(Math.exp(shift)) || !isLarge(Math.exp(newest)) || shift * newest < 0) return null;
  const first = segment.from + at;
  return { at: first, night: nights[first]?.night ?? '', ratio: Math.exp(shift) };
}
