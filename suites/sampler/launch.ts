// Decides when one launch has enough samples for its share of a figure. Pure: it receives every block.
import { median } from 'simple-statistics';
import { logVariance, medianInterval, sequentialZ, studentQuantile } from '../../results/derive/index.ts';
import { maxLaunchSamples } from '../sampling.ts';

/** Number of samples at the first check; with fewer a launch has no interval. */
const firstLook = 12;
/** Factor on the samples between two checks. Checks are rare, because each is a chance to stop by luck. */
const lookGrowth = 1.25;
/** Number of consecutive checks that must succeed. */
const passes = 2;
/**
 * Minimum number of blocks of short operations. Samples of one block resemble each other, and the interval contains the scatter
 * of blocks only from this number on.
 */
const fewestBlocks = 8;
/**
 * Noise does not average out if this factor on the samples leaves more than this share of the interval's width. Half of the
 * width is expected.
 */
const noise = { times: 4, hardlyNarrower: 0.85 };
/** Minimum number of samples for this comparison; with fewer the width itself is too uncertain. */
const fewestForNoise = 100;
/** A launch whose half width is below this share of the differences between launches gains nothing from more samples. */
const spreadShare = 1 / 3;

/** Samples of one launch: nanoseconds of one operation, in the order of time. */
export interface LaunchSeries {
  ns: number[];
  /** Number of samples of each block in `ns`. */
  blocks: number[];
  /** Number of measured samples, including late ones, which are missing in `ns`. */
  measured: number;
}

/**
 * Why a launch gets no more blocks. goal: precise enough. noise: more samples do not help. samples: maximum reached. budget: no
 * time now, perhaps later.
 */
export type LaunchEnd = 'goal' | 'noise' | 'samples' | 'budget';

/**
 * Half width that one launch needs, as a share, so that `launches` equal launches reach the precision together. The interval of
 * the figure is Student's t over launch medians, with the variance of other sizes (results/derive/launches.ts).
 */
export function goalOf(precision: number, launches: number): number {
  if (launches === 1) return precision;
  return (precision * Math.sqrt(launches) * sequentialZ) / studentQuantile(0.975, 3 * (launches - 1));
}

/**
 * Half width, as a share, below which only the scatter between launches matters; 0 = unknown.
 * @param medians medians of the other launches so far
 */
export const spreadGoal = (medians: readonly number[]): number =>
  medians.length < 2 ? 0 : spreadShare * sequentialZ * Math.sqrt(logVariance(medians));

export class LaunchSampling {
  readonly series: LaunchSeries = { ns: [], blocks: [], measured: 0 };
  ended: LaunchEnd | null = null;
  private middle = { samples: 0, ns: 0 };
  private nextLook = firstLook;
  private reached = 0;
  private stuck = 0;
  /** Number of samples and half width at each check so far. */
  private readonly looks: { samples: number; halfWidth: number }[] = [];

  /**
   * @param ns figures of the block's samples in nanoseconds, without late samples
   * @param measured number of samples, including late ones
   */
  add(ns: readonly number[], measured: number): void {
    for (const one of ns) this.series.ns.push(one);
    this.series.blocks.push(ns.length);
    this.series.measured += measured;
  }

  /** Median in nanoseconds; null without samples. Cached, because every block of other launches needs it. */
  get medianNs(): number | null {
    const { ns } = this.series;
    if (this.middle.samples !== ns.length) this.middle = { samples: ns.length, ns: median(ns) };
    return ns.length === 0 ? null : this.middle.ns;
  }

  /** Number of samples missing until the next check, at least one. */
  get untilLook(): number {
    return Math.max(1, this.nextLook - this.series.ns.length);
  }

  /**
   * Decides after each block whether the launch ends.
   * @param goal        half width that is precise enough, as a share
   * @param halfQuantum half of the clock's resolution over the batch, ns
   * @param isShort     true if operations are short: a check then needs a minimum number of blocks
   * @returns why the launch ends; null if it continues
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

  /**
   * Records this check.
   * @returns true if a quarter of the samples already gave about the same width
   */
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
