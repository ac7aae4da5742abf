// E-values of paired log ratios. An e-value is a quantity that is never negative and has at most mean 1 if the tested hypothesis
// is true, however often and at whatever moment it is looked at. It exceeds 1 / alpha with probability alpha at most (Ville 1939).
//
// Sources: Shafer, Testing by betting (J. R. Stat. Soc. A 184, 2021). Grünwald, de Heide & Koolen, Safe testing (J. R. Stat. Soc. B
// 86, 2024). Howard, Ramdas, McAuliffe & Sekhon, Time-uniform nonparametric confidence sequences (Ann. Stat. 49, 2021). Waudby-Smith
// & Ramdas, Estimating means of bounded random variables by betting (J. R. Stat. Soc. B 86, 2024). Vovk & Wang, Nonparametric
// e-tests of symmetry (N. Engl. J. Stat. Data Sci. 2, 2024).
import { median } from 'simple-statistics';

/**
 * One pair of launches: log of the candidate's time over the reference's time (`logRatio`), and the standard deviation of such log
 * ratios (`scale`) that earlier pairs showed, or that is assumed.
 */
export interface ScaledPair {
  logRatio: number;
  scale: number;
}

/**
 * One part of the test, computed like a bet on the sign of each pair, which starts with the stake `share`. A pair multiplies the
 * stake by 1 + limit tanh(slope y / s), for the deviation y of the pair's log ratio and its standard deviation s. The e-value is
 * the sum of the final stakes of all bets; their shares add up to 1. With limit 1 the factor is the likelihood ratio of the sign
 * for an effect of slope s against none, under normal scatter.
 */
export interface Bet {
  /**
   * Size of the effect for which the bet is best, in standard deviations of a pair. `margin`: an effect as large as the margin;
   * Infinity: only the sign counts.
   */
  slope: number | 'margin';
  /**
   * Largest share of the stake that one pair may win or lose. With a value below 1, a pair with a stall costs only a part of the
   * stake.
   */
  limit: number;
  /** Stake with which the bet starts, 0 to 1; the stakes of all bets of a test add up to 1. */
  share: number;
}

/**
 * Bets (see `Bet`) with which a change of unknown size is tested, for an effect as large as the margin, for one as large as the
 * scatter of pairs, and for a larger one. Their starting stakes (`share`) add up to 1. After 8 pairs of one sign a large change is
 * significant at 1 %; no exact test needs fewer pairs.
 */
export const changeBets: readonly Bet[] = [
  { slope: 'margin', limit: 0.9, share: 0.3 },
  { slope: 1, limit: 0.8, share: 0.18 },
  { slope: Number.POSITIVE_INFINITY, limit: 1, share: 0.52 },
];

/**
 * Bets (see `Bet`) with which it is tested that there is no change as large as the margin. Their starting stakes (`share`) add up
 * to 1.
 */
export const sameBets: readonly Bet[] = [
  { slope: 'margin', limit: 0.9, share: 0.5 },
  { slope: 0.5, limit: 0.8, share: 0.2 },
  { slope: Number.POSITIVE_INFINITY, limit: 1, share: 0.3 },
];

export interface Hypothesis {
  /**
   * Bound of the log ratio in the hypothesis that is tested, and against which evidence is sought. `side` = `above`: the log ratio
   * is at most this bound, so evidence shows that it is above; `below`: it is at least this bound.
   */
  logRatio: number;
  side: 'above' | 'below';
}

/** Largest e-value, so that sums of them stay finite. */
const largest = 1e100;

/**
 * Returns the e-value, 0 or more, against "the log ratio is at most `logRatio`" (side above), or "at least" (side below); 1 without
 * pairs.
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

/**
 * Returns tanh(slope * deviation), or the sign of the deviation for an infinite slope; 0 for deviation 0.
 * @param deviation in standard deviations of the pair
 */
function scoreOf(deviation: number, slope: number): number {
  if (deviation === 0) return 0;
  return slope === Number.POSITIVE_INFINITY ? Math.sign(deviation) : Math.tanh(slope * deviation);
}

/**
 * Standard deviation (`sd`) of the log ratio of a pair that is assumed or known before the first pair. It weighs as much as
 * `degrees` pairs.
 */
export interface KnownScatter {
  sd: number;
  degrees: number;
}

/**
 * Standard deviation (`sd`) of a pair's log ratio if launches vary by about 2 %. It weighs as much as two pairs (`degrees`). It is
 * only the scale of the bets (`Bet`), so a wrong value costs pairs but gives no wrong verdicts.
 */
export const assumedScatter: KnownScatter = { sd: 0.03, degrees: 2 };

/**
 * Returns the pairs, each with the standard deviation that the pairs before it showed, combined with `known`; the first two pairs
 * have that of `known` alone. Later pairs must not influence the standard deviation of a pair, since otherwise `evidence` would not
 * be an e-value.
 * @param logRatios log of the candidate's time over the reference's time, by pair in order of measuring
 * @param known standard deviation that is assumed before the first pair; absent = `assumedScatter`
 */
export const withScales = (logRatios: readonly number[], known?: KnownScatter): ScaledPair[] =>
  logRatios.map((logRatio, i) => withScale(logRatio, logRatios.slice(0, i), known));

/**
 * Returns a pair with the standard deviation that the earlier pairs showed, combined with `known`.
 * @param logRatio log of the candidate's time over the reference's time
 * @param earlier log ratios of the pairs measured before
 * @param known standard deviation that is assumed before the first pair; it is used alone with fewer than two earlier pairs
 */
export const withScale = (
  logRatio: number,
  earlier: readonly number[],
  known: KnownScatter = assumedScatter,
): ScaledPair => ({ logRatio, scale: scaleOf(earlier, known) });

/**
 * Distance from the median, in robust standard deviations, beyond which a value counts as if it were at this distance, so that an
 * outlier does not enlarge the scatter.
 */
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

/** Distance from the median of the log ratios (a factor of 22,000) beyond which no bound is searched; the bound is then null. */
const farthest = 10;

/**
 * Returns the confidence sequence of the log ratio: all values against which the e-value stays below `2 / alpha`. Its bounds, which
 * are log ratios, contain the true value at all looks together with probability 1 - alpha. A bound is null with too few pairs.
 * @param margin log of the margin, for bets on an effect of this size
 * @param alpha highest probability that the true value is ever outside the bounds
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
