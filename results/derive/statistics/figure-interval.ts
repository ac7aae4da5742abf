// Computes the reported 95 % interval of a figure, or the reason why it has none. Callers use launchFigure() (launches.ts).
import { durationText, percentText, plural } from '../../units.ts';
import type { MedianInterval } from './interval.ts';
import { type LaunchInterval, tInterval, type VariancePrior } from './launch-interval.ts';
import type { SampleInterval } from './sample-interval.ts';
import { studentP } from './student.ts';

/**
 * Largest allowed ratio of an interval's upper to its lower end. A wider interval only shows the order of magnitude, so it is not
 * reported.
 */
export const maxIntervalSpan = 4;
/** An interval from launches is not reported if it extends beyond the lowest or highest sample by more than this factor. */
const maxIntervalOverSample = 1.1;
/**
 * Lowest number of launches for a t interval without a known variance. Two launches have one degree of freedom: the interval would
 * reach nine standard deviations to each side.
 */
export const minLaunchesForT = 3;
/**
 * Lowest number of launches for an interval from the launches of one message size alone. With fewer, an interval needs the scatter
 * of other sizes (minSizesOfRange). Compared with an interval whose variance is known, it is 1.75 times as wide with three launches
 * (t with two degrees of freedom) and 1.43 times with four (docs/truth.md).
 */
export const minLaunches = 4;
/**
 * Minimum number of sizes in a size range (neighbouring sizes whose launches scatter alike) for which fewer than `minLaunches`
 * launches give an interval, because each size uses the scatter of the others.
 */
export const minSizesOfRange = 5;
/** Highest probability, accepted when an interval is cut at the lowest or highest sample, that the cut makes the interval wrong. */
const cutRisk = 0.005;

export interface FigureBounds {
  low: number;
  high: number;
}

export type FigureInterval = { interval: FigureBounds; reason: null } | { interval: null; reason: string };

/** Range of all samples of a measured time with two or more launches, and the interval that the samples alone give, ns. */
export interface LaunchRange extends SampleInterval {
  /** Lowest of all samples, ns; `max` is the highest. */
  min: number;
  max: number;
}

/**
 * Returns the interval that covers differences between launches: the t interval of log launch medians (tInterval()), at least as
 * wide as the interval of the samples, because few launches may agree by chance. If it extends beyond all samples, it is cut at the
 * lowest or highest one. The cut is wrong only if every launch deviates by more than its samples reach. If the probability of that
 * is above `cutRisk`, the interval is not cut, but it must not extend far beyond the samples.
 * @param mediansNs launch medians, two at least
 * @param prior variance known from other sizes; null = none
 * @param seen range of all samples; null if only launch medians are known
 * @param inflation factor by which the variance of the mean of launches is larger because successive launches are alike
 * @returns the interval in ns; or null with the reason as a text: with two launches and no prior, if the interval or that of the
 * samples spans more than `maxIntervalSpan`, or if it extends beyond the samples by more than `maxIntervalOverSample`
 */
export function reportedInterval(
  mediansNs: readonly number[],
  prior: VariancePrior | null,
  seen: LaunchRange | null,
  inflation = 1,
): FigureInterval {
  const r = mediansNs.length;
  if (prior === null && r < minLaunchesForT) return { interval: null, reason: launchesNeededReason(r) };
  const t = tInterval(mediansNs, prior, inflation);
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
    if (beyond > maxIntervalOverSample) {
      return {
        interval: null,
        reason: `${mediansText(mediansNs)} too far apart: the interval would reach ${percentText(beyond - 1)} beyond all samples`,
      };
    }
  }
  return { interval: { low, high }, reason: null };
}

/**
 * Returns the sentence that says how many launches, or how many sizes, would give an interval: "2 launches: an interval needs 4, or
 * 5 sizes of one size range".
 * @param launches number of launches measured so far, below minLaunches
 */
export const launchesNeededReason = (launches: number): string =>
  `${plural(launches, 'launch', 'launches')}: an interval needs ${minLaunches}, or ${minSizesOfRange} sizes of one size range`;

/**
 * Returns the reason why an interval is too wide to be reported (upper end over lower end above `maxIntervalSpan`); null if it is
 * not.
 * @param mediansNs launch medians, for the text
 */
export function spanReasonOf({ low, high }: FigureBounds, mediansNs: readonly number[]): string | null {
  if (high <= maxIntervalSpan * low) return null;
  if (mediansNs.length < 2) return spanReason({ low, high }, 'the samples of one launch');
  return `${mediansText(mediansNs)} too far apart: the interval would span more than a factor of ${maxIntervalSpan}`;
}

const mediansText = (mediansNs: readonly number[]): string =>
  `medians of ${plural(mediansNs.length, 'launch', 'launches')} (${durationText(Math.min(...mediansNs))} to ${durationText(Math.max(...mediansNs))})`;

/**
 * True if an interval may be cut at the outermost sample: it is improbable that all launches deviate by `reach` (distance in log
 * time from the median to that sample).
 */
function mayCut(reach: number, { deviation }: LaunchInterval, { length }: readonly number[]): boolean {
  return deviation === 0 || (studentP(reach / deviation, normalDegrees) / 2) ** length <= cutRisk;
}
/** Degrees of freedom with which Student's t is practically the normal distribution. */
const normalDegrees = 1e7;

/**
 * Returns the 95 % interval of a time measured in one launch, ns; null, with the reason as a sentence, if it cannot be computed or
 * its upper end exceeds the lower one by more than the factor `maxIntervalSpan`.
 * @param found interval of the samples; null if there are too few samples for one
 * @param samples number of samples, for the reason
 */
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
