import { mean, median, medianAbsoluteDeviation } from 'simple-statistics';
import { loadFlags } from '../compare/load.ts';
import { studentP } from '../derive/statistics/student.ts';
import { isLarge, varianceOf } from '../judge/difference.ts';
import { largestChange } from '../judge/verdict-text.ts';
import { changeRules, maxUnseenShare, minHistoryPoints } from './changes.ts';
import { smallestStep } from './detectable.ts';
import { withoutModes } from './modes.ts';
import { farOffScatter, type SizeStep } from './nights.ts';
import { minNightScatter } from './scan.ts';
import type { Trend, TrendChange } from './trend.ts';

/**
 * Verdict on a series, or on one of its nights. The first night of a change has the verdict `slower` or `faster`; the nights after
 * it are compared with the new level. `unconfirmed`: the time looks much changed in that night, but there are too few nights to
 * prove it. `same`: a change of `maxUnseenShare` would have been found; `no-verdict`: it would not.
 */
export type SeriesVerdict = 'slower' | 'faster' | 'unconfirmed' | 'same' | 'no-verdict';

/** All verdicts on a history, most urgent first. */
export const verdictOrder: readonly SeriesVerdict[] = [
  'slower',
  'unconfirmed',
  'faster',
  'no-verdict',
  'same',
];

/** A possible change in the newest nights; there are too few nights after it to be certain. */
export interface UnconfirmedStep {
  /** Index of the first night at the new level in the history; `night` is that night's name (date). */
  at: number;
  night: string;
  /** Time after the change divided by the time before it: 2 = twice as slow. */
  ratio: number;
  /** True if a repeated measurement in one of these nights shows the change, too, and no other processes disturbed it. */
  isSeenAgain: boolean;
}

/** Consecutive nights that looked much changed, after which the time returned to its earlier level. */
export interface PastStep extends UnconfirmedStep {
  /** Index of the first night that is back at the earlier level; `overNight` is that night's name (date). */
  overAt: number;
  overNight: string;
}

export interface SeriesState {
  /** Verdict on the whole series at its newest night; stateOf() says what decides it. */
  verdict: SeriesVerdict;
  /** The newest certain change; null if there is none since the requested first night. */
  change: TrendChange | null;
  /** A possible change in the newest nights; null if there is none since the requested first night. */
  unconfirmed: UnconfirmedStep | null;
  /**
   * Message sizes that look much changed in the newest night although the whole size range does not; empty if the whole range looks
   * changed.
   */
  sizes: readonly SizeStep[];
  /**
   * Large changes that are over (later nights are back at the old level) and that lasted until the requested first night or longer.
   * Oldest first.
   */
  past: PastStep[];
  /** Smallest relative change since the last certain change that would have been found: 0.05 = 5 %. Null with too few nights. */
  step: number | null;
}

/**
 * Returns verdict and changes of a series. A possible change in the newest nights decides the verdict, unless a slowdown is
 * certain. If the possible change is too small to be shown, the newest certain change decides, then single message sizes that look
 * changed, and without either the verdict is `no-verdict`. Without a possible change it is, in the same order, that of the certain
 * change or of single sizes; else `same` if a change of `maxUnseenShare` would have been found, else `no-verdict`.
 * @param since name (date) of the first night in which changes are reported; "" = in all nights
 */
export function stateOf(trend: Trend, since: string): SeriesState {
  const step = smallestStep(trend);
  const found = unconfirmedStep(trend, trend.segments.at(-1));
  const unconfirmed = found !== null && found.night >= since ? found : null;
  const change = trend.changes.findLast(({ night }) => night >= since) ?? null;
  const past = pastSteps(trend).filter(({ overAt }) => (trend.nights[overAt - 1]?.night ?? '') >= since);
  const sizes = (trend.nights.at(-1)?.night ?? '') >= since ? sizesAlone(trend, found) : [];
  const own = { change, unconfirmed, sizes, past, step };
  if (unconfirmed !== null && (change === null || change.shift < 0)) {
    const verdict = verdictOfStep(unconfirmed);
    if (verdict !== 'no-verdict' || (change === null && sizes.length === 0)) return { ...own, verdict };
  }
  if (change !== null) return { ...own, verdict: change.shift > 0 ? 'slower' : 'faster' };
  if (sizes.length > 0) return { ...own, verdict: verdictOfSizes(sizes) };
  return { ...own, verdict: step === null || step > maxUnseenShare ? 'no-verdict' : 'same' };
}

/**
 * Returns the single message sizes that look much changed; empty if reports show `step`, the change of the whole size range,
 * instead.
 */
export const sizesAlone = ({ sizes }: Pick<Trend, 'sizes'>, step: UnconfirmedStep | null): SizeStep[] =>
  step !== null && isNotable(step) ? [] : sizes;

/**
 * Returns the changed size that reports name: of those that a repeated measurement shows the one with the largest change; if there
 * are none, the one with the largest change of all.
 * @throws {RangeError} if the list is empty
 */
export function shownSize(sizes: readonly SizeStep[]): SizeStep {
  const seenAgain = sizes.filter(({ isSeenAgain }) => isSeenAgain);
  return largestChange(seenAgain.length > 0 ? seenAgain : sizes);
}

/** True if reports show this uncertain change: it is large (1.5-fold), or a repeated measurement shows it, too. */
export const isNotable = ({ ratio, isSeenAgain }: UnconfirmedStep): boolean => isSeenAgain || isLarge(ratio);

/** Returns the most urgent verdict on single message sizes; there must be at least one. */
const verdictOfSizes = (sizes: readonly SizeStep[]): SeriesVerdict =>
  verdictOrder.find((verdict) => sizes.some((size) => verdictOfStep(size) === verdict)) ?? 'unconfirmed';

/**
 * Returns the verdict on an uncertain change: `slower` or `faster` if a repeated measurement shows it, else `unconfirmed` if it is
 * large (1.5-fold), else `no-verdict`.
 */
const verdictOfStep = ({
  ratio,
  isSeenAgain,
}: Pick<UnconfirmedStep, 'ratio' | 'isSeenAgain'>): SeriesVerdict =>
  isSeenAgain ? (ratio > 1 ? 'slower' : 'faster') : isLarge(ratio) ? 'unconfirmed' : 'no-verdict';

/**
 * Returns a verdict for each night of the history, oldest first. The first night after a change is slower or faster; the first
 * night of an uncertain change, and all nights of past changes, have the verdict on that change. The newest night may have that on
 * single message sizes. All other nights are `no-verdict` if the history is too short, or if their section between two changes
 * scatters too much to show a change of `maxUnseenShare`; else `same`. A section with too few nights to tell is judged as the
 * section before it, whose scatter is known; without one its nights are `no-verdict`.
 */
export function verdictsOf(trend: Trend): SeriesVerdict[] {
  const { nights, changes, segments } = trend;
  const isFew = nights.length < minHistoryPoints;
  let quiet: SeriesVerdict = 'no-verdict';
  const verdicts = segments.flatMap(({ from, to }, part): SeriesVerdict[] => {
    const own = { nights, kind: trend.kind, modes: trend.modes, segments: [{ from, to, log: 0 }] };
    const step = smallestStep(own);
    if (!isFew && step !== null) quiet = step > maxUnseenShare ? 'no-verdict' : 'same';
    const change = part === 0 ? undefined : changes[part - 1];
    const first: SeriesVerdict = change === undefined ? quiet : change.shift > 0 ? 'slower' : 'faster';
    return Array.from({ length: to - from }, (_, i) => (i === 0 ? first : quiet));
  });
  const newest = unconfirmedStep(trend, segments.at(-1));
  if (newest !== null) verdicts[newest.at] = verdictOfStep(newest);
  const last = verdicts.length - 1;
  const isUndecided = verdicts[last] === 'same' || verdicts[last] === 'no-verdict';
  const sizes = sizesAlone(trend, newest);
  if (isUndecided && sizes.length > 0) verdicts[last] = verdictOfSizes(sizes);
  for (const past of pastSteps(trend)) verdicts.fill(verdictOfStep(past), past.at, past.overAt);
  return verdicts;
}

type NightValues = Pick<Trend, 'nights' | 'kind' | 'modes'>;

/**
 * Finds a possible change among the nights since the last certain one: the division into two parts with the smallest sum of
 * squares. Null unless both the new level and the newest night differ from the level before, either by a large factor (1.5) or by
 * far more than the earlier nights scatter. In the latter case all nights of the new level lie in the same direction.
 * @param segment nights since the last certain change: indices from `from` to before `to`; undefined gives null
 */
export function unconfirmedStep(
  trend: NightValues,
  segment: Pick<Trend['segments'][number], 'from' | 'to'> | undefined,
): UnconfirmedStep | null {
  if (segment === undefined) return null;
  const logs = logsOf(trend, segment.from, segment.to);
  const total = logs.reduce((all, log) => all + log, 0);
  let [best, at, sum] = [0, 0, 0];
  for (let k = 1; k < logs.length; k += 1) {
    sum += logs[k - 1] as number;
    const shift = (total - sum) / (logs.length - k) - sum / k;
    const explained = ((k * (logs.length - k)) / logs.length) * shift ** 2;
    if (explained > best) [best, at] = [explained, k];
  }
  if (at === 0) return null;
  const base = median(logs.slice(0, at));
  const shift = median(logs.slice(at)) - base;
  const newest = (logs.at(-1) as number) - base;
  if (shift * newest <= 0) return null;
  const areLarge = isLarge(Math.exp(shift)) && isLarge(Math.exp(newest));
  if (areLarge) return stepAt(trend, { from: segment.from + at, to: segment.to, base, shift });
  // A night that lies in the other direction than the newest one does not belong to the new level.
  const first = at + 1 + logs.slice(at).findLastIndex((log) => (log - base) * newest <= 0);
  if (!areFarOff(logs, first)) return null;
  const before = median(logs.slice(0, first));
  return stepAt(trend, {
    ...{ from: segment.from + first, to: segment.to },
    ...{ base: before, shift: median(logs.slice(first)) - before },
  });
}

/** Highest p-value at which a night counts as far from the nights before it. */
const farOffP = 1e-3;

/**
 * True if each value from index `at` on differs from the mean of the values before by at least `maxUnseenShare`, and by far more
 * than those scatter; false if fewer than ten values precede. The caller ensures that the values from `at` on lie in one direction.
 * @param logs log times, oldest first
 */
function areFarOff(logs: readonly number[], at: number): boolean {
  if (at < changeRules.left) return false;
  const before = logs.slice(0, at);
  const error = Math.max(minNightScatter, Math.sqrt(varianceOf(before))) * Math.sqrt(1 + 1 / at);
  const centre = mean(before);
  return logs
    .slice(at)
    .every(
      (log) =>
        Math.abs(log - centre) >= Math.log1p(maxUnseenShare) &&
        studentP((log - centre) / error, at - 1) <= farOffP,
    );
}

/** Highest number of preceding nights with whose median a night is compared. */
const usualNights = 30;

/**
 * Returns the large changes that are over: consecutive nights far from the nights before them, followed by a night that is not.
 * More than ten such nights count as the new level of the series instead. Without this list one good night would hide a regression
 * that earlier bad nights had shown.
 */
export function pastSteps(trend: Pick<Trend, 'nights' | 'kind' | 'segments' | 'modes'>): PastStep[] {
  return trend.segments.flatMap(({ from, to }) => {
    const logs = logsOf(trend, from, to);
    const limit = farOffScatter * 1.4826 * medianAbsoluteDeviation(logs);
    const past: PastStep[] = [];
    let usual: number[] = [];
    let start: number | null = null;
    for (const [i, log] of logs.entries()) {
      const base = usual.length === 0 ? log : median(usual.slice(-usualNights));
      const isFar = isLarge(Math.exp(log - base)) && Math.abs(log - base) >= limit;
      if (isFar) {
        start ??= i;
        // This many nights are the new level of the series; the nights before them were the exception.
        if (i - start < changeRules.left) continue;
        usual = logs.slice(start, i);
        start = null;
      }
      if (start !== null) {
        const shift = median(logs.slice(start, i)) - base;
        const step = stepAt(trend, { from: from + start, to: from + i, base, shift });
        past.push({ ...step, overAt: from + i, overNight: trend.nights[from + i]?.night ?? '' });
      }
      start = null;
      usual.push(log);
    }
    return past;
  });
}

const logsOf = ({ nights, kind, modes }: NightValues, from: number, to: number): number[] =>
  withoutModes(
    nights.slice(from, to).map((night) => night[kind]?.log ?? 0),
    modes,
    from,
  );

/**
 * Describes the possible change of the nights `from` to before `to`.
 * @param base level before these nights, in log time
 * @param shift distance of these nights from `base`, in log time
 */
function stepAt(
  { nights, kind }: NightValues,
  { from, to, base, shift }: { from: number; to: number; base: number; shift: number },
): UnconfirmedStep {
  const isSeenAgain = nights.slice(from, to).some(({ again, warnings }) => {
    const interval = again?.[kind]?.interval ?? null;
    if (interval === null || warnings.some((mark) => loadFlags.includes(mark))) return false;
    return shift > 0 ? interval.low > base : interval.high < base;
  });
  return { at: from, night: nights[from]?.night ?? '', ratio: Math.exp(shift), isSeenAgain };
}
