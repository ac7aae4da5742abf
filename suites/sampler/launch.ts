// Decides when one launch has enough samples. It reads no clock and no file: it decides only from the blocks that it receives.
import { median } from 'simple-statistics';
import { logVariance, medianInterval, sequentialZ, studentQuantile } from '../../results/derive/index.ts';
import { maxLaunchSamples } from '../block-shapes.ts';

/** Number of samples of a launch at its first precision check; with fewer samples no interval is computed. */
const firstLook = 12;
/**
 * Factor by which the number of samples grows from one precision check to the next. Checks are rare, because each check can
 * stop a launch by chance.
 */
const lookGrowth = 1.25;
/** Number of consecutive precision checks that must give the same result (`goal` or `noise`) before a launch ends. */
const passes = 2;
/**
 * Minimum number of blocks of short operations before a precision check. Samples of one block resemble each other, so an interval
 * of fewer blocks would miss the differences between blocks.
 */
const minBlocks = 8;
/**
 * Criterion for noise that does not average out: although there are `times` as many samples, the interval has more than the share
 * `hardlyNarrower` of its earlier width. With independent samples it would have half of the width.
 */
const noise = { times: 4, hardlyNarrower: 0.85 };
/**
 * Minimum number of samples of the earlier of the two intervals that the noise criterion compares; with fewer samples its width is
 * too uncertain.
 */
const minSamplesForNoise = 100;
/**
 * The differences between launches alone give a single launch median an interval of a certain half width. If the half width of the
 * launch's own interval is below this share of it, more samples in the launch gain nothing.
 */
const spreadShare = 1 / 3;

/**
 * Samples of one launch, in one timing mode of a configuration. `ns` has one number per sample in time order: the nanoseconds of
 * one operation of all ranks, or of a batch the mean of its operations.
 */
export interface LaunchSeries {
  ns: number[];
  /** Number of samples in `ns` that come from each block, in the order of the blocks. */
  blocks: number[];
  /** Number of measured samples. It includes late samples (a rank missed the common start), which `ns` leaves out. */
  measured: number;
}

/**
 * Reason why a launch gets no more blocks. goal: its interval is narrow enough. noise: more samples do not narrow the interval.
 * samples: the launch has the maximum number of samples. budget: no time is left now; the launch may get more later.
 */
export type LaunchEnd = 'goal' | 'noise' | 'samples' | 'budget';

/**
 * Half width that the confidence interval of one launch may have, as a share of its median, so that `launches` equal launches
 * together reach the precision. Their common interval is Student's t over the launch medians, with a variance that includes other
 * sizes.
 * @param precision target half width of the figure's interval, as a share
 */
export function goalOf(precision: number, launches: number): number {
  if (launches === 1) return precision;
  return (precision * Math.sqrt(launches) * sequentialZ) / studentQuantile(0.975, 3 * (launches - 1));
}

/**
 * Half width of a launch's interval, as a share of its median, below which a narrower interval gains nothing, because the
 * differences between launches are larger. 0 if these are unknown, with fewer than two other launches.
 * @param medians medians (ns) of the other launches so far
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
  /** Number of samples, and half width of the interval (a share of the median), at each precision check so far. */
  private readonly looks: { samples: number; halfWidth: number }[] = [];

  /**
   * Adds the samples of a block.
   * @param ns nanoseconds of one operation for each sample, without late samples
   * @param measured number of samples, including late samples
   */
  add(ns: readonly number[], measured: number): void {
    for (const one of ns) this.series.ns.push(one);
    this.series.blocks.push(ns.length);
    this.series.measured += measured;
  }

  /**
   * Median of all samples of this launch in one timing mode, ns; null without samples. It is cached until the launch gets more
   * samples, because the precision checks of the other launches read it, too.
   */
  get medianNs(): number | null {
    const { ns } = this.series;
    if (this.middle.samples !== ns.length) this.middle = { samples: ns.length, ns: median(ns) };
    return ns.length === 0 ? null : this.middle.ns;
  }

  /** Number of samples missing until the next precision check of the launch, at least one. */
  get untilLook(): number {
    return Math.max(1, this.nextLook - this.series.ns.length);
  }

  /**
   * Decides after each block whether the launch ends, and stores the reason in `ended`.
   * @param goal half width at which the interval is narrow enough, as a share of the median
   * @param halfQuantum half of the clock's resolution, divided by the number of operations in a sample, ns
   * @param isShort true if operations are short: a check then needs a minimum number of blocks
   * @param maxSamples number of measured samples at which the launch ends
   * @returns why the launch ends; null if it continues
   */
  judge(
    goal: number,
    halfQuantum: number,
    isShort: boolean,
    maxSamples = maxLaunchSamples,
  ): LaunchEnd | null {
    const { ns, blocks, measured } = this.series;
    const isTime = ns.length >= this.nextLook && (!isShort || blocks.length >= minBlocks);
    if (isTime) {
      this.nextLook = Math.max(ns.length + 3, Math.ceil(lookGrowth * ns.length));
      const found = medianInterval(ns, halfQuantum, blocks, sequentialZ);
      const halfWidth = found === null ? null : (found.high - found.low) / 2 / found.median;
      this.reached = halfWidth !== null && halfWidth <= goal ? this.reached + 1 : 0;
      this.stuck = halfWidth !== null && this.isHardlyNarrower(halfWidth) ? this.stuck + 1 : 0;
    }
    if (this.reached >= passes) this.ended = 'goal';
    else if (this.stuck >= passes) this.ended = 'noise';
    else if (measured >= maxSamples) this.ended = 'samples';
    return this.ended;
  }

  /**
   * Compares the half width of the interval with that of an earlier check with at most a quarter of the samples, and stores it for
   * later checks.
   * @param halfWidth half width of the interval at this check, as a share of the median
   * @returns true if the half width hardly fell (see `noise`); false without such an earlier check
   */
  private isHardlyNarrower(halfWidth: number): boolean {
    const samples = this.series.ns.length;
    const before = this.looks.findLast((one) => noise.times * one.samples <= samples);
    this.looks.push({ samples, halfWidth });
    return (
      before !== undefined &&
      before.samples >= minSamplesForNoise &&
      halfWidth > noise.hardlyNarrower * before.halfWidth
    );
  }
}
