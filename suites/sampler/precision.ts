// When one trial of one cell has launches and samples enough: pure, looked at when each of its launches has had its turn.
import { median } from 'simple-statistics';
import {
  type FigureBounds,
  launchFigure,
  launchInterval,
  launchWidth,
  medianDoubt,
  medianInterval,
  samplesAlone,
  sequentialZ,
  singleLaunchInterval,
} from '../../results/derive/index.ts';
import type { StopReason } from '../../results/schema/index.ts';
import { LaunchSampling, type LaunchSeries } from './launch.ts';

/** What is left of the time is worth spending where it can bring the width to that share of what it is. */
const worthShare = 0.8;
/** Launches differ for certain where so much of the variance of their medians is not within them. */
const certainShare = 0.75;

/** What the samples say so far. */
export interface PrecisionState {
  /** Half width of the interval that would be reported, as a share of the figure; null = none yet. */
  halfWidth: number | null;
  /** Every launch has samples enough for an interval of its own. */
  isFounded: boolean;
  /** More samples of these launches would not bring it within the precision. */
  needsLaunches: boolean;
  /** What is left of the half width with samples without end. */
  restHalfWidth: number;
}

const nothingSeen: PrecisionState = {
  halfWidth: null,
  isFounded: false,
  needsLaunches: false,
  restHalfWidth: 0,
};

/**
 * @param launches   at least one
 * @param others     launch medians of other sizes of the series (results/derive/launches.ts)
 * @param precision  wanted half width, a share
 * @param halfQuantum half the clock's step over the batch, ns
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
  const across = launchWidth(medians, others, isFounded ? standardErrors : []);
  const isWithin =
    isFounded &&
    (standardErrors.every((error) => sequentialZ * error <= precision) || across.betweenShare > certainShare);
  const { interval } = launchFigure(medians, others, { ...alone, ...endsOf(launches) });
  return {
    halfWidth: widthOf(interval, launchInterval(medians).centreNs),
    isFounded,
    needsLaunches: isWithin && across.betweenHalfWidth > precision,
    restHalfWidth: across.betweenHalfWidth,
  };
}

/**
 * What is wanting where so many times the samples make the interval neither clearly narrower nor as narrow as is wanted: what
 * samples leave open falls with their root, what is between launches stays.
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

/** Fastest and slowest of all samples. */
const endsOf = (launches: readonly LaunchSeries[]): { min: number; max: number } => ({
  min: Math.min(...launches.map(({ ns }) => ns.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY))),
  max: Math.max(...launches.map(({ ns }) => ns.reduce((a, b) => Math.max(a, b), 0))),
});

/** One trial of one cell, over all its launches. */
export class TrialSampling {
  readonly launches = new Map<number, LaunchSampling>();
  /** What the launches so far show. */
  seen: PrecisionState = nothingSeen;
  /** Null = goes on. */
  stopped: StopReason | null = null;

  /** A launch that is to come has nothing yet. */
  of(launch: number): LaunchSampling {
    const there = this.launches.get(launch) ?? new LaunchSampling();
    this.launches.set(launch, there);
    return there;
  }

  /** Samples of the launch that has fewest. */
  get fewest(): number {
    return Math.min(...this.series.map(({ ns }) => ns.length));
  }

  /** Launch medians, those without samples left out. */
  medians(): number[] {
    return [...this.launches.values()].flatMap(({ medianNs }) => medianNs ?? []);
  }

  private get series(): LaunchSeries[] {
    return [...this.launches.values()].map(({ series }) => series);
  }

  /**
   * After a turn of all launches.
   * @param isShort launches of the plan had no time: what is there cannot be called precise
   * @returns whether it is precise: then it has stopped
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

  /** Launches whose time ended before they had samples enough. */
  late(): number[] {
    return [...this.launches].flatMap(([launch, { ended }]) => (ended === 'budget' ? [launch] : []));
  }

  /**
   * No more launches, and no more blocks. What was reached decides, else what was wanting.
   * @param isShort launches of the plan had no time
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
