import { mean, medianSorted } from 'simple-statistics';
import { maxMedianHalf, medianDoubt, medianNeighbours } from './interval.ts';

/** Samples of one launch. `ns` has, for each sample in time order, the time of one operation. */
export interface LaunchSamples {
  ns: readonly number[];
  /**
   * Number of samples of each block, in time order; the samples of a block were measured without a pause. The sum is the length of
   * `ns`.
   */
  blocks: readonly number[];
}

/** Uncertainty of a measured time that the scatter of its samples alone causes, as if launches did not differ. */
export interface SampleInterval {
  /**
   * Lower end, ns, of the 95 % interval that the geometric mean of the launch medians would have if launches did not differ; `high`
   * is the upper end. Each end lies beyond all samples by half the timer's step at most.
   */
  low: number;
  high: number;
  /**
   * Smallest log distance, over all launches, from the median to the lowest sample (`below`) and to the highest sample (`above`).
   */
  below: number;
  above: number;
}

/**
 * Returns the interval of a time that the samples alone allow, for each side. Launches are assumed to have the same shape: their
 * samples, each divided by the median of its launch, form one distribution, and the ends of the interval are values of this sorted
 * distribution. To first order the error of the mean of r log medians is the mean of the launches' errors, counted in sorted
 * samples (Bahadur 1966). With h_i the share that medianDoubt() gives for launch i, the interval therefore covers hypot(h_1 .. h_r)
 * / r of the samples to each side. A stalled launch widens it by its share of samples, never by the duration of the stall.
 * @param launches each with at least one sample, all positive
 * @param halfQuantum minimum reach to each side, ns; except for this the interval never exceeds the samples
 * @param z quantile of the normal distribution that sets the interval's confidence
 * @returns the interval and the standard error of each log median
 */
export function samplesAlone(
  launches: readonly LaunchSamples[],
  halfQuantum: number,
  z: number,
): SampleInterval & { standardErrors: number[] } {
  const sides = launches.map(({ ns, blocks }) => {
    // A device clock may read 0 for a very short operation.
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
