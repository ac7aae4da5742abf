// Stalls: samples that take many times as long because something else had the machine, mostly several in a row.
import { median } from 'simple-statistics';

/** From so many times the median on a sample was stalled: nothing that an operation does takes that long. */
const stalledFrom = 3;
/**
 * Stalls that a single launch allows for: so large a share of all samples, in bursts of that many. Of those that were due it
 * may have met about two bursts fewer: the upper end of a Poisson count lies z^2 / 2 = 1.92 beyond what its root says.
 */
const allowed = { share: 0.05, burst: 20, missed: 2 };

/** What bursts of stalls do to the rank of a median; shares of the samples. */
export interface StallUncertainty {
  /** Standard error by the bursts that were met. */
  deviation: number;
  /** So far may stalls that were due but not met have moved the true median upwards. */
  missed: number;
}

/**
 * How many samples a burst takes is its own: of bursts at random (compound Poisson) the number of stalled samples has the
 * variance sum of squared lengths, of which single samples are in the binomial already; half of them move the median. Few
 * bursts show less than they may be: times (bursts + 1) / bursts. A launch cannot know of bursts that it did not meet, so
 * that `allowed.share` is what it takes for possible; what it met counts towards that.
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

/** Samples of each run of two stalled ones or more. */
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
