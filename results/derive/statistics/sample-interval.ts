import { mean, medianSorted } from 'simple-statistics';
import { maxMedianHalf, medianDoubt, medianNeighbours } from './interval.ts';

/** Samples of one launch, figures of one operation in time order, ns. */
export interface LaunchSamples {
  ns: readonly number[];
  /** Samples of each block in `ns`. */
  blocks: readonly number[];
}

/** What the samples of a cell allow, whatever launches do. */
export interface SampleInterval {
  /** 95 % interval of the geometric mean of the launch medians if launches did not differ, ns; within the samples. */
  low: number;
  high: number;
  /** So far at least do the samples of each launch reach below and above its median, in log time. */
  below: number;
  above: number;
}

/**
 * What single samples allow, each side for itself. Launches are taken for alike in shape: their samples, each over the
 * median of its launch, make one distribution, and the interval is one of its ranks. To first order the mean of r log
 * medians is off by the mean of their rank errors (Bahadur 1966), so that it reaches hypot(h_1 .. h_r) / r of the samples to
 * each side. A stalled launch widens it by its share of ranks, never by the time it was stalled for.
 * @param launches    each with a sample at least, all positive
 * @param halfQuantum least reach to each side; but for that the interval never leaves the samples
 * @returns with the standard error of each log median
 */
export function samplesAlone(
  launches: readonly LaunchSamples[],
  halfQuantum: number,
  z: number,
): SampleInterval & { standardErrors: number[] } {
  const sides = launches.map(({ ns, blocks }) => {
    // A device may be read as if it had needed no time at all.
    const logs = ns.map((one) => Math.log(Math.max(one, Number.MIN_VALUE))).sort((a, b) => a - b);
    const middle = medianSorted(logs);
    const share = medianDoubt(ns, blocks, z).share ?? maxMedianHalf;
    return { logs, middle, share, lowest: logs[0] as number, highest: logs.at(-1) as number };
  });
  const r = sides.length;
  const centre = mean(sides.map(({ middle }) => middle));
  const shape = sides.flatMap(({ logs, middle }) => logs.map((log) => log - middle)).sort((a, b) => a - b);
  const [down, up] = medianNeighbours(shape, Math.hypot(...sides.map(({ share }) => share)) / r);
  const lowest = Math.min(...sides.map((side) => side.lowest));
  const highest = Math.max(...sides.map((side) => side.highest));
  const middle = Math.exp(centre);
  return {
    low: Math.min(Math.exp(Math.max(lowest, centre + Math.min(0, down))), middle - halfQuantum),
    high: Math.max(Math.exp(Math.min(highest, centre + Math.max(0, up))), middle + halfQuantum),
    below: Math.min(...sides.map((side) => side.middle - side.lowest)),
    above: Math.min(...sides.map((side) => side.highest - side.middle)),
    standardErrors: sides.map(({ share }) => {
      const [from, to] = medianNeighbours(shape, share);
      return (to - from) / 2 / z;
    }),
  };
}
