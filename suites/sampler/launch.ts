// When one launch has samples enough for its share of a figure: pure, told of every block.
import { median } from 'simple-statistics';
import { logVariance, medianInterval, sequentialZ, studentQuantile } from '../../results/derive/index.ts';
import { maxLaunchSamples } from '../sampling.ts';

/** Samples at the first look; below, no interval of a launch exists. */
const firstLook = 12;
/** Looks are this far apart, so that there are few: each is a chance to stop by luck. */
const lookGrowth = 1.25;
/** Looks that must agree. */
const passes = 2;
/** Samples of one block resemble each other: from so many blocks on their scatter is part of the interval. */
const fewestBlocks = 8;
/** Noise does not average out where four times the samples leave so much of the width; half of it is due. */
const noise = { times: 4, hardlyNarrower: 0.85 };
/** Before that many samples the width itself is not known well enough to say so. */
const fewestForNoise = 100;
/** A launch known so much better than launches agree adds nothing by more samples. */
const spreadShare = 1 / 3;

/** Samples of one launch, figures of one operation in time order, ns. */
export interface LaunchSeries {
  ns: number[];
  /** Samples of each block in `ns`. */
  blocks: number[];
  /** Late ones included, which have no figure. */
  measured: number;
}

/** Why a launch has no more blocks for now: `goal` = enough; `budget` = no time, of which there may be more later. */
export type LaunchEnd = 'goal' | 'noise' | 'samples' | 'budget';

/**
 * Half width of one launch, by its samples, with which `launches` of them reach the precision where they do not differ: the
 * interval of the figure is t's over their medians, with what other sizes show (results/derive/launches.ts).
 */
export function goalOf(precision: number, launches: number): number {
  if (launches === 1) return precision;
  return (precision * Math.sqrt(launches) * sequentialZ) / studentQuantile(0.975, 3 * (launches - 1));
}

/** @param medians of the other launches so far @returns half width below which their scatter decides alone; 0 = not known */
export const spreadGoal = (medians: readonly number[]): number =>
  medians.length < 2 ? 0 : spreadShare * sequentialZ * Math.sqrt(logVariance(medians));

export class LaunchSampling {
  readonly series: LaunchSeries = { ns: [], blocks: [], measured: 0 };
  ended: LaunchEnd | null = null;
  private middle = { samples: 0, ns: 0 };
  private nextLook = firstLook;
  private reached = 0;
  private stuck = 0;
  /** Samples and half width at the looks so far. */
  private readonly looks: { samples: number; halfWidth: number }[] = [];

  /** @param ns figures of the block, late samples left out; `measured` counts them, too */
  add(ns: readonly number[], measured: number): void {
    for (const one of ns) this.series.ns.push(one);
    this.series.blocks.push(ns.length);
    this.series.measured += measured;
  }

  /** Null without samples. Asked for at every block of other launches, and computed when there are more. */
  get medianNs(): number | null {
    const { ns } = this.series;
    if (this.middle.samples !== ns.length) this.middle = { samples: ns.length, ns: median(ns) };
    return ns.length === 0 ? null : this.middle.ns;
  }

  /** Samples that it lacks for the next look, one at least. */
  get untilLook(): number {
    return Math.max(1, this.nextLook - this.series.ns.length);
  }

  /**
   * After a block.
   * @param goal    half width that is enough, a share
   * @param isShort blocks take no time: there are enough of them before a look counts
   */
  judge(goal: number, halfQuantum: number, isShort: boolean): LaunchEnd | null {
    const { ns, blocks, measured } = this.series;
    const isTime = ns.length >= this.nextLook && (!isShort || blocks.length >= fewestBlocks);
    if (isTime) {
      this.nextLook = Math.max(ns.length + 3, Math.ceil(lookGrowth * ns.length));
      const found = medianInterval(ns, halfQuantum, blocks, sequentialZ);
      const halfWidth = found === null ? null : (found.high - found.low) / 2 / found.median;
      this.reached = halfWidth !== null && halfWidth <= goal ? this.reached + 1 : 0;
      this.stuck = halfWidth !== null && this.isHardlyNarrower(halfWidth) ? this.stuck + 1 : 0;
    }
    if (this.reached >= passes) this.ended = 'goal';
    else if (this.stuck >= passes) this.ended = 'noise';
    else if (measured >= maxLaunchSamples) this.ended = 'samples';
    return this.ended;
  }

  /** Enters this look. @returns whether at a quarter of the samples, or fewer, the interval was about as narrow already */
  private isHardlyNarrower(halfWidth: number): boolean {
    const samples = this.series.ns.length;
    const before = this.looks.findLast((one) => noise.times * one.samples <= samples);
    this.looks.push({ samples, halfWidth });
    return (
      before !== undefined &&
      before.samples >= fewestForNoise &&
      halfWidth > noise.hardlyNarrower * before.halfWidth
    );
  }
}
