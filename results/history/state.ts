import { median } from 'simple-statistics';
import { isLarge } from '../judge/large.ts';
import { minHistoryPoints, smallestStep } from './detectable.ts';
import type { Trend, TrendChange } from './trend.ts';

/**
 * State of a series, or of one of its nights. A change belongs to its first night; the nights after it are at its level.
 * `unconfirmed`: the level looks much slower or faster from that night on, but there are too few nights to prove it.
 */
export type SeriesVerdict = 'slower' | 'faster' | 'unconfirmed' | 'same' | 'no-verdict';

/** Verdicts, the most urgent first. */
export const verdictOrder: readonly SeriesVerdict[] = [
  'slower',
  'unconfirmed',
  'faster',
  'no-verdict',
  'same',
];

/** Largest smallest-visible change, as a share, with which a verdict "same" is given. The gate must detect the same. */
export const maxUnseenShare = 0.1;

/** A large step between two levels that is not confirmed. */
export interface UnconfirmedStep {
  /** Index of the first night at the new level, and its name. */
  at: number;
  night: string;
  /** Level after the step divided by the level before it. */
  ratio: number;
}

export interface SeriesState {
  verdict: SeriesVerdict;
  /** The change behind the verdict; null if there is none since the requested night. */
  change: TrendChange | null;
  /** The step behind the verdict `unconfirmed`; null for other verdicts. */
  unconfirmed: UnconfirmedStep | null;
  /** Smallest relative change that would have been detected since the last change; null with too few nights. */
  step: number | null;
}

/** State of a series. @param since first night of the requested range */
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

/** Verdict of each night of the trend, oldest first. */
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
 * The split of a segment's points into two levels with the smallest sum of squares. Null unless both the new level and the
 * newest point differ by a large ratio from the level before.
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
