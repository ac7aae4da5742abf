// Traffic matrices: how much each rank sends to each other rank. Row = sender, column = receiver.

/** Elements or bytes that each rank sends to each rank, itself included: `matrix[sender][receiver]`. */
export type TrafficMatrix = readonly (readonly number[])[];

/** Rule by which a traffic matrix is computed for any number of ranks and any size. */
export type TrafficPattern =
  | { kind: 'uniform' }
  | { kind: 'diagonal' }
  /** `exponent`: s in Zipf's law, 1 / position^s. `seed`: draws which ranks are popular. */
  | { kind: 'zipf'; exponent: number; seed: number }
  /** `hotRanks`: number of ranks that receive everything. `seed`: draws which ranks these are. */
  | { kind: 'hot'; hotRanks: number; seed: number };

/** Largest allowed exponent of Zipf's law: with it and 2 ranks, all elements but a thousandth go to one rank. */
const maxExponent = 10;
const maxSeed = 2 ** 32 - 1;

/**
 * Parses the name of a computed matrix: "uniform", "diagonal", "zipf:1.2", "hot:2"; the last two may end with a seed, "hot:2:7"
 * (default 0). Nothing is thrown.
 * @returns the rule; null if the text does not begin with such a name; an error message for the user if it does, but what follows
 * is wrong
 */
export function parseTrafficPattern(text: string): TrafficPattern | string | null {
  const [kind, value, seedText = '0', ...more] = text.split(':');
  if (kind !== 'uniform' && kind !== 'diagonal' && kind !== 'zipf' && kind !== 'hot') return null;
  if (kind === 'uniform' || kind === 'diagonal')
    return value === undefined ? { kind } : `'${kind}' takes no number`;
  const seed = Number(seedText);
  if (more.length > 0 || !/^\d{1,10}$/.test(seedText) || seed > maxSeed)
    return `'${text}': the seed must be a whole number from 0 to ${maxSeed}`;
  if (kind === 'hot') {
    const hotRanks = /^\d{1,4}$/.test(value ?? '') ? Number(value) : 0;
    return hotRanks >= 1 ? { kind, hotRanks, seed } : `'${text}': hot needs a number of ranks, as in hot:1`;
  }
  const exponent = /^\d{1,2}(\.\d{1,6})?$/.test(value ?? '') ? Number(value) : Number.NaN;
  if (exponent >= 0 && exponent <= maxExponent) return { kind, exponent, seed };
  return `'${text}': zipf needs an exponent from 0 to ${maxExponent}, as in zipf:1.2`;
}

/** Returns the name of a computed matrix, which parseTrafficPattern() reads: "zipf:1.2", "hot:2:7". A seed of 0 is left out. */
export function trafficPatternName(pattern: TrafficPattern): string {
  if (pattern.kind === 'uniform' || pattern.kind === 'diagonal') return pattern.kind;
  const value = pattern.kind === 'zipf' ? pattern.exponent : pattern.hotRanks;
  return `${pattern.kind}:${value}${pattern.seed === 0 ? '' : `:${pattern.seed}`}`;
}

/** Returns a 32-bit hash of two numbers (the finalizer of MurmurHash3). */
function mixed(seed: number, index: number): number {
  let bits = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * Returns for each of n items its position in an order that the seed draws: a permutation of 0 to n-1, equal for equal arguments.
 */
export function drawnOrder(seed: number, n: number): number[] {
  const order = Array.from({ length: n }, (_, index) => index).sort(
    (a, b) => mixed(seed, a) - mixed(seed, b) || a - b,
  );
  const positions = new Array<number>(n).fill(0);
  for (const [position, item] of order.entries()) positions[item] = position;
  return positions;
}

/**
 * Returns the shares of n items by Zipf's law, the largest first: proportional to 1 / position^exponent with positions from 1;
 * together they are 1.
 */
function zipfShares(exponent: number, n: number): number[] {
  const weights = Array.from({ length: n }, (_, position) => (position + 1) ** -exponent);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Returns for each of n receivers its share of what a sender sends; together the shares are 1. */
export function sharesOf(pattern: Exclude<TrafficPattern, { kind: 'diagonal' }>, n: number): number[] {
  if (pattern.kind === 'uniform') return Array.from({ length: n }, () => 1 / n);
  const positions = drawnOrder(pattern.seed, n);
  if (pattern.kind === 'hot')
    return positions.map((position) => (position < pattern.hotRanks ? 1 / pattern.hotRanks : 0));
  const shares = zipfShares(pattern.exponent, n);
  return positions.map((position) => shares[position] ?? 0);
}

/**
 * Rounds parts to whole numbers with the sum `total`. Each is rounded down, and what remains goes to those with the largest
 * remainders. Equal remainders are ordered by the distance of the receiver from `first`, so that no receiver is preferred by all
 * senders.
 * @param exact parts by receiver
 * @param mayGetMore whether a receiver's part, after rounding down, may grow by one
 */
export function wholeParts(
  exact: readonly number[],
  total: number,
  first: number,
  mayGetMore: (receiver: number, part: number) => boolean,
): number[] {
  const parts = exact.map((one) => Math.floor(one + 1e-9));
  let left = total - parts.reduce((all, one) => all + one, 0);
  const distance = (receiver: number) => (receiver - first + exact.length) % exact.length;
  const remainder = (receiver: number) => (exact[receiver] ?? 0) - (parts[receiver] ?? 0);
  const order = [...parts.keys()].sort((a, b) => remainder(b) - remainder(a) || distance(a) - distance(b));
  for (const receiver of order) {
    if (left <= 0) break;
    const part = parts[receiver] ?? 0;
    if (!mayGetMore(receiver, part)) continue;
    parts[receiver] = part + 1;
    left--;
  }
  return parts;
}

/**
 * Returns the number of elements that each rank sends to each rank, as matrix[sender][receiver]. Every rank sends
 * `elementsPerRank` elements in total, including those to itself.
 */
export const trafficMatrix = (
  pattern: TrafficPattern,
  ranks: number,
  elementsPerRank: number,
): TrafficMatrix =>
  Array.from({ length: ranks }, (_, rank) => {
    const shares =
      pattern.kind === 'diagonal'
        ? Array.from({ length: ranks }, (_, peer) => Number(peer === (rank + 1) % ranks))
        : sharesOf(pattern, ranks);
    const exact = shares.map((share) => share * elementsPerRank);
    return wholeParts(exact, elementsPerRank, rank, (peer) => (shares[peer] ?? 0) > 0);
  });

/** Sums over a traffic matrix, in the unit of the matrix (elements or bytes). */
export interface TrafficSums {
  /** Sum over the whole matrix, including what ranks send to themselves. */
  total: number;
  /** Sum of what all ranks send to other ranks, without what they send to themselves. */
  sent: number;
  /** Amount of the busiest port: the highest amount that one rank sends to other ranks, or receives from them. */
  busiest: number;
  /** Number of ranks that receive something, from themselves or from other ranks. */
  receivers: number;
}

export function trafficSums(matrix: TrafficMatrix): TrafficSums {
  const n = matrix.length;
  const received = new Array<number>(n).fill(0);
  const sums: TrafficSums = { total: 0, sent: 0, busiest: 0, receivers: 0 };
  const arrived = new Array<number>(n).fill(0);
  for (const [rank, row] of matrix.entries()) {
    let out = 0;
    for (const [peer, entry] of row.entries()) {
      sums.total += entry;
      received[peer] = (received[peer] ?? 0) + entry;
      if (peer === rank) continue;
      out += entry;
      arrived[peer] = (arrived[peer] ?? 0) + entry;
    }
    sums.sent += out;
    sums.busiest = Math.max(sums.busiest, out);
  }
  sums.busiest = Math.max(sums.busiest, ...arrived);
  sums.receivers = received.filter((entry) => entry > 0).length;
  return sums;
}

/**
 * Returns a traffic matrix as text for the ranks: one line per sender, with the number of elements for each receiver, separated
 * by spaces. The last line has no line break.
 */
export const trafficScript = (matrix: TrafficMatrix): string => matrix.map((row) => row.join(' ')).join('\n');

/** Parses the text of a traffic matrix that trafficScript() made. The text is not checked: a word that is no number becomes NaN. */
export const trafficOfScript = (script: string): TrafficMatrix =>
  script.split('\n').map((line) => line.split(' ').map(Number));
