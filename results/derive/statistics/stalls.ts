// Estimates the effect of stalls: samples that take many times as long as the median because the machine did something else.
// Usually several samples in a row are stalled.
import { median } from 'simple-statistics';

/**
 * A sample counts as stalled (by preemption, for example) if it takes more than this many times the median: no operation takes that
 * long by itself.
 */
const stalledFrom = 3;
/**
 * Stalls that are assumed for a single launch: a share of all samples, in bursts of `burst` samples. By chance a launch may have
 * met about two (`missed`) bursts fewer than usual, because the upper bound of a Poisson count lies z^2 / 2 = 1.92 above its
 * estimate on the scale of square roots.
 */
const allowed = { share: 0.05, burst: 20, missed: 2 };

/**
 * Distance by which stalled samples (over 3 times the median) may move the median, counted in sorted samples as a share of all
 * samples.
 */
export interface StallUncertainty {
  /** Standard error of the median that the stalls of this launch cause, as a share of all samples. */
  deviation: number;
  /**
   * Distance, as a share of all samples, by which the true median may lie above the measured one because this launch by chance met
   * fewer stalls than usual.
   */
  missed: number;
}

/**
 * Returns how far stalls may move a median, counted in sorted samples. With random bursts (compound Poisson) the number of stalled
 * samples has as variance the sum of the squared lengths of the bursts; the binomial variance already includes single samples. Half
 * of the stalled samples move the median. A few bursts underestimate the variance, so it is multiplied by (bursts + 1) / bursts. A
 * launch does not show bursts that it did not meet, so `allowed.share` is assumed, minus the stalls that it met.
 * @param x samples in time order, one at least
 */
export function stallDoubt(x: readonly number[]): StallUncertainty {
  const lengths = burstsOf(x);
  const bursts = lengths.length;
  const squares = lengths.reduce((sum, length) => sum + length * (length - 1), 0);
  const met = lengths.reduce((sum, length) => sum + length, 0);
  const unmet = Math.min(allowed.missed * allowed.burst, Math.max(0, allowed.share * x.length - met));
  return {
    deviation: bursts === 0 ? 0 : Math.sqrt((squares * (bursts + 1)) / bursts) / 2 / x.length,
    missed: unmet / 2 / x.length,
  };
}

/**
 * Returns the number of samples of each burst: two or more consecutive stalled samples.
 * @param x samples in time order
 */
function burstsOf(x: readonly number[]): number[] {
  const limit = stalledFrom * median([...x]);
  const lengths: number[] = [];
  let length = 0;
  for (let i = 0; i <= x.length; i += 1) {
    if ((x[i] ?? 0) > limit) length += 1;
    else {
      if (length > 1) lengths.push(length);
      length = 0;
    }
  }
  return lengths;
}
