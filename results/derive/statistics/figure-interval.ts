// The 95 % interval of a figure: one definition, for what is stored, shown, compared and exported.
import { durationText, percentText, plural } from '../../units.ts';
import type { MedianInterval } from './interval.ts';
import { type LaunchInterval, launchInterval, type VariancePrior } from './launch-interval.ts';
import type { SampleInterval } from './sample-interval.ts';
import { studentP } from './student.ts';

/** An interval from which no more than the order of magnitude follows is none. */
export const maxIntervalSpan = 4;
/** What launches show reaches beyond all samples by no more than this. */
const mostBeyond = 1.1;
/** Of two launches t has one degree of freedom: nine standard deviations to each side, and narrow ones by luck. */
export const minLaunchesForT = 3;
/**
 * Launches that give an interval without the help of other sizes. Three are 1.75 times as wide as one that knows how launches
 * differ (t of two degrees of freedom), four 1.43 times (docs/truth.md).
 */
export const minLaunches = 4;
/** Sizes of one range that give an interval to fewer launches: each learns from the others. */
export const minSizesOfRange = 5;
/** At most so often is it wrong to end at the fastest, or slowest, sample. */
const cutRisk = 0.005;

export interface FigureBounds {
  low: number;
  high: number;
}

export type FigureInterval = { interval: FigureBounds; reason: null } | { interval: null; reason: string };

/** What was measured, of two launches or more. */
export interface LaunchRange extends SampleInterval {
  /** Of all samples. */
  min: number;
  max: number;
}

/**
 * Between launches: t over log launch medians, by the launches alone (launchInterval()), and no narrower to either side than
 * the samples allow, since few launches may agree by luck. Where t leaves the samples it is cut at the outermost one: the
 * truth lies beyond only if every launch was off its median by more than its samples reach, `cutRisk` or less as the
 * scatter of launches has it. Where it is more, t stands, if it is beyond by little.
 * @param mediansNs two at least
 * @param seen      null = nothing is known but launch medians
 */
export function launchesInterval(
  mediansNs: readonly number[],
  prior: VariancePrior | null,
  seen: LaunchRange | null,
): FigureInterval {
  const r = mediansNs.length;
  if (prior === null && r < minLaunchesForT) return { interval: null, reason: launchesNeededReason(r) };
  const t = launchInterval(mediansNs, prior);
  const [low, high] =
    seen === null
      ? [t.lowNs, t.highNs]
      : [
          Math.min(seen.low, mayCut(seen.below, t, mediansNs) ? Math.max(seen.min, t.lowNs) : t.lowNs),
          Math.max(seen.high, mayCut(seen.above, t, mediansNs) ? Math.min(seen.max, t.highNs) : t.highNs),
        ];
  const reason =
    seen !== null && seen.high > maxIntervalSpan * seen.low
      ? spanReason(seen, `the samples of ${plural(r, 'launch', 'launches')}`)
      : spanReasonOf({ low, high }, mediansNs);
  if (reason !== null) return { interval: null, reason };
  if (seen !== null) {
    const beyond = Math.max(seen.min / low, high / seen.max);
    if (beyond > mostBeyond) {
      return {
        interval: null,
        reason: `${mediansText(mediansNs)} too far apart: the interval would reach ${percentText(beyond - 1)} beyond all samples`,
      };
    }
  }
  return { interval: { low, high }, reason: null };
}

/** Names what suffices. @param launches fewer than minLaunches */
export const launchesNeededReason = (launches: number): string =>
  `${plural(launches, 'launch', 'launches')}: an interval needs ${minLaunches}, or ${minSizesOfRange} sizes of one size range`;

/** Why an interval says nothing; null where it says something. */
export function spanReasonOf({ low, high }: FigureBounds, mediansNs: readonly number[]): string | null {
  if (high <= maxIntervalSpan * low) return null;
  if (mediansNs.length < 2) return spanReason({ low, high }, 'the samples of one launch');
  return `${mediansText(mediansNs)} too far apart: the interval would span more than a factor of ${maxIntervalSpan}`;
}

const mediansText = (mediansNs: readonly number[]): string =>
  `medians of ${plural(mediansNs.length, 'launch', 'launches')} (${durationText(Math.min(...mediansNs))} to ${durationText(Math.max(...mediansNs))})`;

/** Every launch off by more than `reach` to one side. */
function mayCut(reach: number, { deviation }: LaunchInterval, { length }: readonly number[]): boolean {
  return deviation === 0 || (studentP(reach / deviation, normalDegrees) / 2) ** length <= cutRisk;
}
/** Student's t with so many is the normal distribution. */
const normalDegrees = 1e7;

/** Of one launch only. @param samples how many there were */
export function singleLaunchInterval(found: MedianInterval | null, samples: number): FigureInterval {
  if (found === null)
    return {
      interval: null,
      reason: `${plural(samples, 'sample')} of one launch: too few for an interval`,
    };
  const { low, high } = found;
  if (high > maxIntervalSpan * low) {
    return { interval: null, reason: spanReason(found, 'the samples of one launch') };
  }
  return { interval: { low, high }, reason: null };
}

const spanReason = ({ low, high }: FigureBounds, of: string): string =>
  `${of} scatter too much: the interval would be ${durationText(Math.max(0, low))} to ${durationText(high)}, more than a factor of ${maxIntervalSpan}`;
