// Decides when one timing mode of a cell has enough launches and samples. It reads no clock and no file.
import { median } from 'simple-statistics';
import {
  betweenLaunches,
  type FigureBounds,
  launchFigure,
  medianDoubt,
  medianInterval,
  samplesAlone,
  sequentialZ,
  singleLaunchInterval,
  tInterval,
} from '../../results/derive/index.ts';
import type { StopReason } from '../../results/schema/index.ts';
import { LaunchSampling, type LaunchSeries } from './launch.ts';

/**
 * A configuration gets more time only if its interval is then expected to reach the wanted precision, or to shrink to this share of
 * its present width or less.
 */
const worthShare = 0.8;
/**
 * Share of the variance of launch medians that comes from differences between launches. Above this share the launches are taken to
 * be different, so that more samples in them are useless.
 */
const certainShare = 0.75;

/** Precision that one timing mode (isolated or pipelined) of a configuration has reached with its samples so far. */
export interface PrecisionState {
  /**
   * Half width of the interval that a report would show, as a share of the measured value; null = too few samples for an interval.
   */
  halfWidth: number | null;
  /** True if every launch has enough samples to compute an interval from them alone. */
  isFounded: boolean;
  /** True if the precision cannot be reached with more samples in the existing launches, only with more launches. */
  needsLaunches: boolean;
  /**
   * Half width that the interval would still have with infinitely many samples in the existing launches, as a share of the measured
   * value.
   */
  restHalfWidth: number;
}

const nothingSeen: PrecisionState = {
  halfWidth: null,
  isFounded: false,
  needsLaunches: false,
  restHalfWidth: 0,
};

/**
 * Judges how precise the result of one configuration and timing mode is.
 * @param launches samples of each launch, at least one launch
 * @param others launch medians (ns) of the other sizes in the size range, one list per size; they show how much launches differ
 * @param precision target half width of the interval, as a share of the figure
 * @param halfQuantum half of the clock's resolution, divided by the number of operations in a sample, ns
 */
export function judgePrecision(
  launches: readonly LaunchSeries[],
  others: readonly (readonly number[])[],
  precision: number,
  halfQuantum: number,
): PrecisionState {
  const [only] = launches;
  if (only !== undefined && launches.length === 1) {
    const found = medianInterval(only.ns, halfQuantum, only.blocks, sequentialZ);
    const { interval } = singleLaunchInterval(found, only.ns.length);
    return {
      halfWidth: widthOf(interval, found?.median ?? 1),
      isFounded: found !== null,
      needsLaunches: false,
      restHalfWidth: 0,
    };
  }
  if (launches.some(({ ns }) => ns.length === 0)) return nothingSeen;
  const isFounded = launches.every(({ ns, blocks }) => medianDoubt(ns, blocks, sequentialZ).share !== null);
  const medians = launches.map(({ ns }) => median(ns));
  const { standardErrors, ...alone } = samplesAlone(launches, halfQuantum, sequentialZ);
  const across = betweenLaunches(medians, others, isFounded ? standardErrors : []);
  const isWithin =
    isFounded &&
    (standardErrors.every((error) => sequentialZ * error <= precision) || across.betweenShare > certainShare);
  const { interval } = launchFigure(medians, others, { ...alone, ...endsOf(launches) });
  return {
    halfWidth: widthOf(interval, tInterval(medians).centreNs),
    isFounded,
    needsLaunches: isWithin && across.betweenHalfWidth > precision,
    restHalfWidth: across.betweenHalfWidth,
  };
}

/**
 * Reason why `times` as many samples would not help: they would neither reach the precision nor make the interval clearly narrower.
 * `launches` = differences between launches remain, however many samples are taken; `budget` = only many more samples would help.
 * Null if the samples would help, or if there is no interval yet. The part of the interval that comes from samples shrinks with the
 * square root of their number.
 */
export function limitingFactor(
  { halfWidth, restHalfWidth }: PrecisionState,
  times: number,
  precision: number,
): 'launches' | 'budget' | null {
  if (halfWidth === null) return null;
  const rest = Math.min(halfWidth, restHalfWidth);
  const expected = Math.sqrt(rest ** 2 + (halfWidth ** 2 - rest ** 2) / times);
  if (expected <= Math.max(precision, worthShare * halfWidth)) return null;
  return rest > precision && rest > worthShare * halfWidth ? 'launches' : 'budget';
}

const widthOf = (interval: FigureBounds | null, value: number): number | null =>
  interval === null ? null : (interval.high - interval.low) / 2 / value;

/** Shortest and longest sample of all launches, ns. */
const endsOf = (launches: readonly LaunchSeries[]): { min: number; max: number } => ({
  min: Math.min(...launches.map(({ ns }) => ns.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY))),
  max: Math.max(...launches.map(({ ns }) => ns.reduce((a, b) => Math.max(a, b), 0))),
});

/** Samples and precision of one timing mode (isolated or pipelined) of one configuration, over all its launches. */
export class TrialSampling {
  readonly launches = new Map<number, LaunchSampling>();
  /** Precision as computed by the last call of `judge`; without a half width before the first call. */
  seen: PrecisionState = nothingSeen;
  /** Reason why sampling ended, such as `precise` or `budget`; null = it continues. */
  stopped: StopReason | null = null;

  /** Returns the state of the launch with this number; creates an empty one if the launch is new. */
  of(launch: number): LaunchSampling {
    const there = this.launches.get(launch) ?? new LaunchSampling();
    this.launches.set(launch, there);
    return there;
  }

  /** Forgets launches that were planned but have no samples for lack of time. @returns true if there were any */
  dropUnmeasured(): boolean {
    const empty = [...this.launches].filter(([, { series }]) => series.measured === 0);
    for (const [launch] of empty) this.launches.delete(launch);
    return empty.length > 0;
  }

  /** Number of samples of the launch that has the lowest number; infinity without launches. */
  get fewest(): number {
    return Math.min(...this.series.map(({ ns }) => ns.length));
  }

  /** Median of each launch that has samples, ns. */
  medians(): number[] {
    return [...this.launches.values()].flatMap(({ medianNs }) => medianNs ?? []);
  }

  private get series(): LaunchSeries[] {
    return [...this.launches.values()].map(({ series }) => series);
  }

  /**
   * Judges the precision of the timing mode after all its launches have had their blocks, and stores it in `seen`.
   * @param others launch medians (ns) of the other sizes in the size range, one list per size
   * @param precision target half width of the interval, as a share of the figure
   * @param halfQuantum half of the clock's resolution, divided by the number of operations in a sample, ns
   * @param isShort true if some launches of the plan were left out for lack of time; the mode then never counts as precise
   * @returns true if the sampling of this mode has ended
   */
  judge(
    others: readonly (readonly number[])[],
    precision: number,
    halfQuantum: number,
    isShort = false,
  ): boolean {
    this.seen = judgePrecision(this.series, others, precision, halfQuantum);
    const { halfWidth, isFounded } = this.seen;
    if (!isShort && isFounded && halfWidth !== null && halfWidth <= precision) this.stopped = 'precise';
    return this.stopped !== null;
  }

  /** Numbers of the launches that ended with the reason `budget`: time ran out before they had enough samples. */
  late(): number[] {
    return [...this.launches].flatMap(([launch, { ended }]) => (ended === 'budget' ? [launch] : []));
  }

  /**
   * Ends the sampling of the timing mode and sets the reason: `precise` if the precision was reached, otherwise what limited it.
   * @param precision target half width of the interval, as a share of the figure
   * @param isShort true if some launches of the plan were left out for lack of time; the reason is then `budget`
   */
  stop(precision: number, isShort = false): void {
    if (isShort) {
      this.stopped = 'budget';
      return;
    }
    const { halfWidth, needsLaunches } = this.seen;
    const ends = [...this.launches.values()].map(({ ended }) => ended);
    const isPrecise = halfWidth !== null && halfWidth <= precision;
    if (isPrecise) this.stopped = 'precise';
    else if (needsLaunches) this.stopped = 'launches';
    else
      this.stopped =
        (['budget', 'noise', 'samples'] as const).find((why) => ends.includes(why)) ?? 'launches';
  }
}
