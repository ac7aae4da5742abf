import { median } from 'simple-statistics';
import type { CellOverlap, OkCell, TrialName } from '../schema/index.ts';
import { launchFigure } from './launches.ts';
import { launchInterval } from './statistics/launch-interval.ts';

/** A value with its 95 % interval between launches; null where there are too few. */
export interface OverlapEstimate {
  value: number;
  interval: { low: number; high: number } | null;
}

/** What a load cost the operation, the operation the load, and what was saved by doing both at the same time. */
export interface LoadOverlap {
  trial: TrialName;
  /** Mean times of an operation, ns. */
  quietNs: number;
  besideNs: number;
  /** Mean time beside the load over that in quiet. */
  slowdown: OverlapEstimate;
  load: NonNullable<CellOverlap['trials'][number]['load']>;
  /** Speed of the load beside the operation, as a share of its speed alone. */
  kept: OverlapEstimate;
  /** Time saved by doing both at once, as a share of that time: 1 = both at full speed, 0 = as if they had taken turns. */
  overlap: OverlapEstimate;
}

/**
 * Back to back where both have that, else isolated: between isolated operations ranks wait, and the load works then.
 * @returns null where one of the cells has no figure, or nothing was counted of the load
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

/** Geometric mean over launches, with the interval that a figure of as many launches would have. */
function estimate(values: readonly number[]): OverlapEstimate {
  if (values.length < 2 || values.some((value) => !(value > 0)))
    return { value: values.length === 0 ? 0 : median([...values]), interval: null };
  const { interval } = launchFigure(values, [], null);
  return { value: launchInterval(values).centreNs, interval };
}

/** Intervals of two independent estimates combine as the root of the sum of their squares (MOVER; Zou & Donner 2008). */
function ratio(of: OverlapEstimate, to: OverlapEstimate): OverlapEstimate {
  const value = of.value / to.value;
  if (of.interval === null || to.interval === null) return { value, interval: null };
  const reach = (a: number, b: number): number => Math.hypot(Math.log(a), Math.log(b));
  const below = reach(of.value / of.interval.low, to.interval.high / to.value);
  const above = reach(of.interval.high / of.value, to.value / to.interval.low);
  return { value, interval: { low: value * Math.exp(-below), high: value * Math.exp(above) } };
}

/**
 * In the time t of an operation beside the load, the operation alone takes `own` t, and what the load did in it takes `kept`
 * t alone: one after the other they take (own + kept) t.
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
