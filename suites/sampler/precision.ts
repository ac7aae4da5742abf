// When one trial of one cell has samples enough: pure, told of every block, looked at after every round of blocks.
import { median } from 'simple-statistics';
import {
  betweenLaunches,
  launchInterval,
  launchWidth,
  medianDoubt,
  medianInterval,
  priorOf,
  type Reach,
  samplesAlone,
  soughtZ,
  withinLaunch,
} from '../../results/derive/index.ts';
import type { StopReason } from '../../results/schema/index.ts';

/** Most samples of one launch: beyond them drift, not noise, decides (stats.md 2.2). */
export const mostSamples = 2_000;
/** Samples of each launch at the first look; below, no interval of a launch exists. */
const firstLook = 12;
/** Looks are this far apart, so that there are few: each is a chance to stop by luck. */
const lookGrowth = 1.25;
/** Looks that must agree. */
const passes = 2;
/** Noise does not average out where four times the samples leave so much of the width; half of it is due. */
const noise = { times: 4, hardlyNarrower: 0.85 };
/** Before that many samples of each launch the width itself is not known well enough to say so. */
const fewestForNoise = 100;
/** What is left of the time is worth spending where it can bring the width to that share of what it is. */
const worthShare = 0.8;
/** Launches differ for certain where so much of the variance of their medians is not within them. */
const certainShare = 0.75;

/** Samples of one launch, figures of one operation in time order, ns. */
export interface LaunchSeries {
  ns: number[];
  /** Samples of each block in `ns`. */
  blocks: number[];
  /** Late ones included, which have no figure. */
  measured: number;
}

/** What the samples say so far. */
export interface Look {
  /** Half width of the interval that would be reported, as a share of the figure; null = none yet. */
  halfWidth: number | null;
  /** Every launch has samples enough for an interval of its own. */
  isFounded: boolean;
  /** More samples of these launches would not bring it within the precision. */
  needsLaunches: boolean;
  /** What is left of the half width with samples without end. */
  restHalfWidth: number;
}

const nothingSeen: Look = { halfWidth: null, isFounded: false, needsLaunches: false, restHalfWidth: 0 };

/**
 * @param launches   at least one
 * @param others     launch medians of other sizes of the series (results/derive/launches.ts)
 * @param precision  wanted half width, a share
 * @param halfQuantum half the clock's step over the batch, ns
 */
export function look(
  launches: readonly LaunchSeries[],
  others: readonly (readonly number[])[],
  precision: number,
  halfQuantum: number,
): Look {
  const [only] = launches;
  if (only !== undefined && launches.length === 1) {
    const found = medianInterval(only.ns, halfQuantum, only.blocks, soughtZ);
    const { interval } = withinLaunch(found, only.ns.length);
    return {
      halfWidth: widthOf(interval, found?.median ?? 1),
      isFounded: found !== null,
      needsLaunches: false,
      restHalfWidth: 0,
    };
  }
  if (launches.some(({ ns }) => ns.length === 0)) return nothingSeen;
  const isFounded = launches.every(({ ns, blocks }) => medianDoubt(ns, blocks, soughtZ).share !== null);
  const medians = launches.map(({ ns }) => median(ns));
  const { standardErrors, ...alone } = samplesAlone(launches, halfQuantum, soughtZ);
  const across = launchWidth(medians, others, isFounded ? standardErrors : []);
  const isWithin =
    isFounded &&
    (standardErrors.every((error) => soughtZ * error <= precision) || across.betweenShare > certainShare);
  const { interval } = betweenLaunches(medians, priorOf(others, medians.length), {
    ...alone,
    ...endsOf(launches),
  });
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
export function lackingIn(
  { halfWidth, restHalfWidth }: Look,
  times: number,
  precision: number,
): 'launches' | 'budget' | null {
  if (halfWidth === null) return null;
  const rest = Math.min(halfWidth, restHalfWidth);
  const expected = Math.sqrt(rest ** 2 + (halfWidth ** 2 - rest ** 2) / times);
  if (expected <= Math.max(precision, worthShare * halfWidth)) return null;
  return rest > precision && rest > worthShare * halfWidth ? 'launches' : 'budget';
}

const widthOf = (interval: Reach | null, value: number): number | null =>
  interval === null ? null : (interval.high - interval.low) / 2 / value;

/** Fastest and slowest of all samples. */
const endsOf = (launches: readonly LaunchSeries[]): { min: number; max: number } => ({
  min: Math.min(...launches.map(({ ns }) => ns.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY))),
  max: Math.max(...launches.map(({ ns }) => ns.reduce((a, b) => Math.max(a, b), 0))),
});

/** One trial of one cell, over all its launches. */
export class TrialSampling {
  readonly launches = new Map<number, LaunchSeries>();
  /** What the last round showed. */
  seen: Look = nothingSeen;
  /** Null = goes on. */
  stopped: StopReason | null = null;
  private nextLook = firstLook;
  private precise = 0;
  private apart = 0;
  private stuck = 0;
  /** Samples of each launch and half width at the looks so far. */
  private readonly looks: { samples: number; halfWidth: number }[] = [];

  /** @param ns figures of the block, late samples left out; `measured` counts them, too */
  add(launch: number, ns: readonly number[], measured: number): void {
    const series = this.seriesOf(launch);
    for (const one of ns) series.ns.push(one);
    series.blocks.push(ns.length);
    series.measured += measured;
  }

  /** An empty series for a launch that is to come. */
  seriesOf(launch: number): LaunchSeries {
    const there = this.launches.get(launch) ?? { ns: [], blocks: [], measured: 0 };
    this.launches.set(launch, there);
    return there;
  }

  /** Samples of the launch that has fewest. */
  get fewest(): number {
    return Math.min(...[...this.launches.values()].map(({ ns }) => ns.length));
  }

  /** Samples that each launch lacks for the next look, one at least. */
  get untilLook(): number {
    return Math.max(1, this.nextLook - this.fewest);
  }

  /** Launches of the blocks that come next: of those that are behind, as often as they lack blocks; else each once. */
  due(): number[] {
    const most = Math.max(...[...this.launches.values()].map(({ blocks }) => blocks.length));
    const lacking = [...this.launches].flatMap(([launch, { blocks }]) =>
      new Array<number>(most - blocks.length).fill(launch),
    );
    return lacking.length > 0 ? lacking : [...this.launches.keys()];
  }

  /** After a round. @returns what it cannot give itself: another launch; the caller stops it where there is none */
  judge(
    others: readonly (readonly number[])[],
    precision: number,
    halfQuantum: number,
  ): 'launches' | 'noise' | 'samples' | null {
    const series = [...this.launches.values()];
    if (this.fewest >= this.nextLook) {
      this.nextLook = Math.max(this.fewest + 3, Math.ceil(lookGrowth * this.fewest));
      this.seen = look(series, others, precision, halfQuantum);
      const { halfWidth, isFounded } = this.seen;
      this.precise = isFounded && halfWidth !== null && halfWidth <= precision ? this.precise + 1 : 0;
      this.apart = this.seen.needsLaunches ? this.apart + 1 : 0;
      if (this.precise >= passes) this.stopped = 'precise';
      this.stuck = this.isHardlyNarrower() ? this.stuck + 1 : 0;
    }
    if (this.stopped !== null) return null;
    if (this.apart >= passes) return 'launches';
    if (this.stuck >= passes) return 'noise';
    return series.every(({ measured }) => measured >= mostSamples) ? 'samples' : null;
  }

  /** Enters this look. @returns whether at a quarter of the samples, or fewer, the interval was about as narrow already */
  private isHardlyNarrower(): boolean {
    const { fewest: samples } = this;
    const { halfWidth } = this.seen;
    if (halfWidth === null) return false;
    const before = this.looks.findLast((one) => noise.times * one.samples <= samples);
    this.looks.push({ samples, halfWidth });
    return (
      before !== undefined &&
      before.samples >= fewestForNoise &&
      halfWidth > noise.hardlyNarrower * before.halfWidth
    );
  }

  /** No more blocks. What was reached decides; `why` says what else it was. */
  stop(
    why: StopReason,
    others: readonly (readonly number[])[],
    precision: number,
    halfQuantum: number,
  ): StopReason {
    this.seen = look([...this.launches.values()], others, precision, halfQuantum);
    const { halfWidth } = this.seen;
    this.stopped = halfWidth !== null && halfWidth <= precision ? 'precise' : why;
    return this.stopped;
  }

  /** Another launch, of which there is nothing yet: the next look waits until it has caught up. */
  addLaunch(launch: number): void {
    this.nextLook = this.fewest;
    this.seriesOf(launch);
    this.apart = 0;
    this.precise = 0;
    this.stuck = 0;
    this.looks.length = 0;
  }
}
