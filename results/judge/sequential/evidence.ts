// E-values of paired log ratios. An e-value is a quantity that is never negative and has at most mean 1 if the tested hypothesis
// is true, however often and at whatever moment it is looked at. It exceeds 1 / alpha with probability alpha at most (Ville 1939).
//
// Sources: Shafer, Testing by betting (J. R. Stat. Soc. A 184, 2021). Grünwald, de Heide & Koolen, Safe testing (J. R. Stat. Soc. B
// 86, 2024). Howard, Ramdas, McAuliffe & Sekhon, Time-uniform nonparametric confidence sequences (Ann. Stat. 49, 2021). Waudby-Smith
// & Ramdas, Estimating means of bounded random variables by betting (J. R. Stat. Soc. B 86, 2024). Vovk & Wang, Nonparametric
// e-tests of symmetry (N. Engl. J. Stat. Data Sci. 2, 2024).
import { median } from 'simple-statistics';

/** One pair: log of the candidate's time over the reference's, and the scatter of such values that earlier pairs showed. */
export interface ScaledPair {
  logRatio: number;
  scale: number;
}

/**
 * Bet on the sign of each pair: 1 + limit tanh(slope y / s) for a deviation y and a scatter s. With limit 1 this is the likelihood
 * ratio of the sign for an effect of slope s against none, under normal scatter. Shares of one mixture add up to 1, so the
 * mixture of e-values is an e-value.
 */
export interface Bet {
  /** `margin`: suits an effect of the size of the margin; Infinity: the sign alone. */
  slope: number | 'margin';
  /** Part of the stake that a pair of the other sign may lose: below 1 a stall costs little. */
  limit: number;
  share: number;
}

/** Bets on a change of unknown size. Large ones are certain after 8 pairs of one sign; no exact test needs fewer at 1 %. */
export const changeBets: readonly Bet[] = [
  { slope: 'margin', limit: 0.9, share: 0.3 },
  { slope: 1, limit: 0.8, share: 0.18 },
  { slope: Number.POSITIVE_INFINITY, limit: 1, share: 0.52 },
];

/** Bets on no change, against a change of the size of the margin. */
export const sameBets: readonly Bet[] = [
  { slope: 'margin', limit: 0.9, share: 0.5 },
  { slope: 0.5, limit: 0.8, share: 0.2 },
  { slope: Number.POSITIVE_INFINITY, limit: 1, share: 0.3 },
];

export interface Hypothesis {
  /** The log ratio that evidence is sought against: `above` it, or `below` it. */
  logRatio: number;
  side: 'above' | 'below';
}

/** Largest e-value, so that sums of them stay finite. */
const largest = 1e100;

/**
 * Returns the e-value against "the log ratio is at most `logRatio`" (side above), or "at least" (side below).
 *
 * Exact for a log ratio of 0 if the order within each pair is drawn at random: under equal builds each sign is then a fair coin
 * given the size of the deviation and the past, whatever the noise, also if the machine drifts within a pair. So every bet on an
 * odd bounded score is fair, and an outlier can at most double the stake or lose it. For other log ratios the noise must be
 * symmetric. Bets that assume normal scatter need fewer pairs, but cry wolf where all pairs differ by the same amount.
 * @param margin log of the margin, for bets on an effect of this size
 */
export function evidence(
  pairs: readonly ScaledPair[],
  { logRatio, side }: Hypothesis,
  bets: readonly Bet[],
  margin: number,
): number {
  const direction = side === 'above' ? 1 : -1;
  let total = 0;
  for (const { slope, limit, share } of bets) {
    let stake = share;
    for (const pair of pairs) {
      const deviation = (direction * (pair.logRatio - logRatio)) / pair.scale;
      stake *= 1 + limit * scoreOf(deviation, slope === 'margin' ? margin / pair.scale : slope);
    }
    total += Math.min(stake, largest);
  }
  return total;
}

/** Odd and between -1 and 1. A deviation of 0 says nothing, also for the sign alone. */
function scoreOf(deviation: number, slope: number): number {
  if (deviation === 0) return 0;
  return slope === Number.POSITIVE_INFINITY ? Math.sign(deviation) : Math.tanh(slope * deviation);
}

/** Scatter of the log ratio of a pair that is assumed or known before the first pair, with the weight of that many pairs. */
export interface KnownScatter {
  sd: number;
  degrees: number;
}

/** Scatter of a pair of launches that differ by 2 % each; it weighs as two pairs and only decides how much early bets win. */
export const assumedScatter: KnownScatter = { sd: 0.03, degrees: 2 };

/** Returns the pairs, each with the scatter that earlier pairs alone showed. The fairness of bets rests on this. */
export const withScales = (logRatios: readonly number[], known?: KnownScatter): ScaledPair[] =>
  logRatios.map((logRatio, i) => withScale(logRatio, logRatios.slice(0, i), known));

/** Returns a pair with the scatter that the earlier pairs showed. */
export const withScale = (
  logRatio: number,
  earlier: readonly number[],
  known: KnownScatter = assumedScatter,
): ScaledPair => ({ logRatio, scale: scaleOf(earlier, known) });

/** Robust standard deviations beyond which a value counts as if it were that far: an outlier is no scatter. */
const farFromMedian = 3;
const minForRobust = 4;

function scaleOf(earlier: readonly number[], { sd, degrees }: KnownScatter): number {
  if (earlier.length < 2) return sd;
  const centre = median([...earlier]);
  const deviations = earlier.map((value) => Math.abs(value - centre));
  const robust = 1.4826 * median(deviations);
  const limit =
    earlier.length < minForRobust ? Number.POSITIVE_INFINITY : farFromMedian * Math.max(robust, sd / 10);
  const squares = deviations.reduce((sum, value) => sum + Math.min(value, limit) ** 2, 0);
  return Math.sqrt((degrees * sd ** 2 + squares) / (degrees + earlier.length - 1));
}

/** Log ratio (22,000 times) beyond which a bound counts as none. */
const farthest = 10;

/**
 * Returns the confidence sequence of the log ratio: all values against which there is no evidence of `2 / alpha`. It contains the
 * truth at all looks together with probability 1 - alpha. A bound is null while the pairs are too few for one.
 */
export function confidenceSequence(
  pairs: readonly ScaledPair[],
  margin: number,
  alpha: number,
): { low: number | null; high: number | null } {
  const bound = (side: Hypothesis['side']): number | null => {
    const isExcluded = (logRatio: number): boolean =>
      evidence(pairs, { logRatio, side }, changeBets, margin) >= 2 / alpha;
    const sorted = pairs.map(({ logRatio }) => logRatio).sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const direction = side === 'above' ? -1 : 1;
    let [outside, inside] = [middle + direction * farthest, middle];
    if (!isExcluded(outside)) return null;
    for (let i = 0; i < 30; i += 1) {
      const between = (outside + inside) / 2;
      if (isExcluded(between)) outside = between;
      else inside = between;
    }
    return outside;
  };
  return { low: bound('above'), high: bound('below') };
}
