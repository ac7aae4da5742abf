// Stalls: samples that take many times as long as the median because the machine did something else; usually several in a row.
import { median } from 'simple-statistics';

/**
 * A sample is stalled (preempted, for example) if it takes this many times the median: no operation takes that long by itself.
 */
const stalledFrom = 3;
/**
 * Stalls that are assumed for a single launch: a share of all samples, in bursts of `burst`. By chance a launch may have met
 * about two (`missed`) bursts fewer than usual: the upper end of a Poisson count is z^2 / 2 = 1.92 above its root's estimate.
 */
const allowed = { share: 0.05, burst: 20, missed: 2 };

/** Distance by which stalled samples (over 3 times the median) may move the median, in sorted samples as a share of them all. */
export interface StallUncertainty {
  /** Standard error of the median that stalls in this launch cause, as such a share. */
  deviation: number;
  /** Such a share by which the true median may be above the measured one, as this launch may have had unusually few stalls. */
  missed: number;
}

/**
 * Uncertainty of a median's rank by stalls. With random bursts (compound Poisson) the number of stalled samples has the
 * variance sum of squared lengths; the binomial variance already includes single samples. Half of the stalled samples
 * move the median. Few bursts underestimate the variance, so it is multiplied by (bursts + 1) / bursts. A launch does not show
 * the bursts that it did not meet, so `allowed.share` is assumed, less the stalls that it met.
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

/** Returns the lengths of all runs of two or more consecutive stalled samples. @param x samples in time order */
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
