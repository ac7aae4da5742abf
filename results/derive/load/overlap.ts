import { median } from 'simple-statistics';
import type { CellOverlap, OkCell, TrialName } from '../../schema/index.ts';
import { launchFigure } from '../launches/launches.ts';
import { launchInterval } from '../statistics/launch-interval.ts';

/** A value with its 95 % interval, from the differences between launches; the interval is null with too few launches. */
export interface OverlapEstimate {
  value: number;
  interval: { low: number; high: number } | null;
}

/** Factors by which an operation and a concurrent load slow each other down, and the time saved by running both at once. */
export interface LoadOverlap {
  trial: TrialName;
  /** Mean time of an operation in ns, without the load; `besideNs` is the time with it. */
  quietNs: number;
  besideNs: number;
  /** Mean time with the load divided by the time without. */
  slowdown: OverlapEstimate;
  load: NonNullable<CellOverlap['trials'][number]['load']>;
  /** Speed of the load during the operation, as a share of its speed alone. */
  kept: OverlapEstimate;
  /** Time saved by running both at once, as a share of that time: 1 = both at full speed, 0 = the same as one after the other. */
  overlap: OverlapEstimate;
}

/**
 * Compares a cell with a load to the same cell without. Pipelined trials are used if both cells have them, otherwise isolated
 * ones. In isolated trials the load also works while ranks wait between operations.
 * @returns null if a cell has no figure, or if no work of the load was counted
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

/** Returns the geometric mean over launches. Its interval is computed like that of a figure with as many launches. */
function estimate(values: readonly number[]): OverlapEstimate {
  if (values.length < 2 || values.some((value) => !(value > 0)))
    return { value: values.length === 0 ? 0 : median([...values]), interval: null };
  const { interval } = launchFigure(values, [], null);
  return { value: launchInterval(values).centreNs, interval };
}

/**
 * Divides two independent estimates. The log distances from value to bound are combined as the root of the sum of squares (MOVER;
 * Zou & Donner 2008).
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
 * Returns the share of time that is saved by running operation and load at once. With the load an operation takes time t. Alone,
 * the operation takes `own` t, and the load's work during t takes `kept` t. One after the other, they take (own + kept) t.
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
