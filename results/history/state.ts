import { median } from 'simple-statistics';
import { isLarge } from '../judge/large.ts';
import { minHistoryPoints, smallestStep } from './detectable.ts';
import type { Trend, TrendChange } from './trend.ts';

/**
 * What a series, or one of its nights, is: a change is of the night that it came with, the nights after it are at its level.
 * `unconfirmed`: the level looks much slower or faster from that night on, and the nights do not suffice to prove it.
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

/** A change that stays unseen above this share leaves no verdict: the gate must see as much. */
export const maxUnseenShare = 0.1;

/** A large step between two levels that is not confirmed. */
export interface UnconfirmedStep {
  /** Index of the first night at the new level, and its name. */
  at: number;
  night: string;
  /** Level after it by level before it. */
  ratio: number;
}

export interface SeriesState {
  verdict: SeriesVerdict;
  /** The change that the verdict is of; null where there is none in the nights asked for. */
  change: TrendChange | null;
  /** The step that the verdict `unconfirmed` is of; null for other verdicts. */
  unconfirmed: UnconfirmedStep | null;
  /** Smallest change that would have been found since the last one, relative; null = too few nights. */
  step: number | null;
}

/** @param since first night of those asked for */
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

/** Of each night of the trend, oldest first. */
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
 * The split of the points of a segment into two levels that leaves the smallest squares; null unless both the levels and the
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
