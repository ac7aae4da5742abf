import { median } from 'simple-statistics';
import type { CellOverlap, OkCell, TrialName } from '../../schema/index.ts';
import { launchFigure } from '../launches/launches.ts';
import { tInterval } from '../statistics/launch-interval.ts';

/**
 * A value with its 95 % interval from the differences between launches. The interval is null with fewer than four launches, if a
 * launch's value is 0, and if launches differ so much that no interval is reported.
 */
export interface OverlapEstimate {
  value: number;
  interval: { low: number; high: number } | null;
}

/** Slowdown of an operation and of other work (`--beside`) by each other, and the time that running both together saves. */
export interface LoadOverlap {
  trial: TrialName;
  /** Mean time of an operation without the other work, ns; `besideNs` is the mean time with the other work. */
  quietNs: number;
  besideNs: number;
  /** Time of an operation with the other work, divided by its time without it: 1.2 = 20 % slower. */
  slowdown: OverlapEstimate;
  /** Recorded rates of the other work, alone and during the operation, as the cell with this work stores them. */
  load: NonNullable<CellOverlap['trials'][number]['load']>;
  /** Rate of the other work during the operation, divided by its rate alone: 0.8 = 20 % slower. */
  kept: OverlapEstimate;
  /**
   * Time saved against running the operation and the other work one after the other, as a share of the time for which both run at
   * once: 1 = both run at full speed, 0 = nothing saved, negative = it takes longer.
   */
  overlap: OverlapEstimate;
}

/**
 * Compares the times of an operation with other work at the same time (`--beside`) and without. Pipelined trials are used if both
 * results have them, else isolated ones, in which the other work also runs between operations.
 * @returns null if a time is missing, or if the progress of the other work was not recorded
 */
export function loadOverlap(quiet: OkCell, loaded: OkCell): LoadOverlap | null {
  for (const trial of ['pipelined', 'isolated'] as const) {
    const of = ({ beside }: OkCell) => beside?.trials.find((one) => one.trial === trial);
    const [before, after] = [of(quiet), of(loaded)];
    if (before === undefined || after?.load == null) continue;
    const [quietNs, besideNs] = [estimate(before.meanNs), estimate(after.meanNs)];
    const kept = estimate(after.load.keptShares);
    const slowdown = ratio(besideNs, quietNs);
    return {
      trial,
      quietNs: quietNs.value,
      besideNs: besideNs.value,
      slowdown,
      load: after.load,
      kept,
      overlap: overlapOf(ratio(quietNs, besideNs), kept),
    };
  }
  return null;
}

/**
 * Returns the geometric mean of the launches' values with its 95 % interval. With one launch, or if a value is 0: the median
 * without interval.
 */
function estimate(values: readonly number[]): OverlapEstimate {
  if (values.length < 2 || values.some((value) => !(value > 0)))
    return { value: values.length === 0 ? 0 : median([...values]), interval: null };
  const { interval } = launchFigure(values, [], null);
  return { value: tInterval(values).centreNs, interval };
}

/**
 * Returns the ratio `of` / `to` of two independent estimates, with its 95 % interval, null if one of them has none. The log
 * distances from value to bound are combined as the root of the sum of squares (MOVER; Zou & Donner 2008).
 */
function ratio(of: OverlapEstimate, to: OverlapEstimate): OverlapEstimate {
  const value = of.value / to.value;
  if (of.interval === null || to.interval === null) return { value, interval: null };
  const reach = (a: number, b: number): number => Math.hypot(Math.log(a), Math.log(b));
  const below = reach(of.value / of.interval.low, to.interval.high / to.value);
  const above = reach(of.interval.high / of.value, to.value / to.interval.low);
  return { value, interval: { low: value * Math.exp(-below), high: value * Math.exp(above) } };
}

/**
 * Returns own + kept - 1: the time saved by running the operation and the other work at once, as a share of the time t for which
 * both run at once; negative if this takes longer. In t, the operation does what takes it `own` t alone, and the other work what
 * takes it `kept` t alone. One after the other they would take (own + kept) t.
 */
function overlapOf(own: OverlapEstimate, kept: OverlapEstimate): OverlapEstimate {
  const value = own.value + kept.value - 1;
  if (own.interval === null || kept.interval === null) return { value, interval: null };
  return {
    value,
    interval: {
      low: value - Math.hypot(own.value - own.interval.low, kept.value - kept.interval.low),
      high: value + Math.hypot(own.interval.high - own.value, kept.interval.high - kept.value),
    },
  };
}
