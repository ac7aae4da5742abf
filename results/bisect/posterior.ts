// Computes a probabilistic bisection: for each item of an ordered list the probability that the change came with it. Horstein,
// "Sequential transmission using noiseless feedback", IEEE Trans. Inf. Theory 1963; Waeber, Frazier and Henderson, "Bisection
// search with noisy responses", SIAM J. Control Optim. 2013.
import type { BisectionStage } from '../schema/index.ts';

/** Probability of each item that it is the first changed one. Item 0 is the unchanged end of the list; its probability is 0. */
export type Posterior = readonly number[];

/**
 * Returns the posterior before the first comparison: all items of a list of `items` elements are equally likely, except the first
 * one, which is unchanged.
 */
export const uniformPosterior = (items: number): Posterior =>
  Array.from({ length: items }, (_, item) => (item === 0 ? 0 : 1 / (items - 1)));

const normalised = (weights: readonly number[]): Posterior => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/**
 * Returns the posterior after a verdict about one item: if the item is changed, the first changed item is this one or an earlier
 * one; if not, a later one.
 * @param errorRate probability that a verdict is wrong
 */
export const updatePosterior = (
  posterior: Posterior,
  { item, isChanged }: { item: number; isChanged: boolean },
  errorRate: number,
): Posterior =>
  normalised(posterior.map((p, at) => p * (at <= item === isChanged ? 1 - errorRate : errorRate)));

/**
 * Returns the posterior after the comparison of an item with the one before it showed no change.
 * @param errorRate probability that this result is wrong
 */
export const excludeItem = (posterior: Posterior, item: number, errorRate: number): Posterior =>
  normalised(posterior.map((p, at) => (at === item ? p * errorRate : p)));

/** Returns the information in bits that an answer brings if it is yes with probability `p`. */
const entropy = (p: number): number =>
  [p, 1 - p].reduce((sum, q) => sum - (q <= 0 ? 0 : q * Math.log2(q)), 0);

/**
 * Returns the item whose verdict is expected to bring most information. That is the median of the posterior, unless comparisons of
 * it ended without verdict: each of these halves the information that is expected of the item. Null if no comparison can bring
 * information.
 * @param open number of comparisons without verdict, by item
 * @param skipped items that cannot be measured
 */
export function nextProbe(
  posterior: Posterior,
  open: ReadonlyMap<number, number> = new Map(),
  skipped: ReadonlySet<number> = new Set(),
): number | null {
  let [best, gain, below] = [null as number | null, 0, 0];
  for (const [item, p] of posterior.entries()) {
    below += p;
    // The last item is changed by assumption, so its verdict brings no information.
    if (item === 0 || item === posterior.length - 1 || skipped.has(item)) continue;
    const bits = entropy(Math.min(1, below)) * 0.5 ** (open.get(item) ?? 0);
    if (bits > gain + 1e-12) [best, gain] = [item, bits];
  }
  return best;
}

/**
 * One item, or several consecutive ones that comparisons cannot distinguish (`first` to `last`, both included), with the
 * probability that one of them is the first changed one.
 */
export type ItemRange = NonNullable<BisectionStage['found']>;

/**
 * Returns the most likely range of items that comparisons can distinguish from all others: one item, or several if all but the last
 * of them cannot be measured.
 * @param skipped items that cannot be measured
 */
export function likeliestRange(posterior: Posterior, skipped: ReadonlySet<number> = new Set()): ItemRange {
  let best: ItemRange = { first: 1, last: posterior.length - 1, probability: 0 };
  let [first, probability] = [1, 0];
  for (const [item, p] of posterior.entries()) {
    if (item === 0) continue;
    probability += p;
    if (skipped.has(item)) continue;
    if (probability > best.probability) best = { first, last: item, probability };
    [first, probability] = [item + 1, 0];
  }
  return best;
}
