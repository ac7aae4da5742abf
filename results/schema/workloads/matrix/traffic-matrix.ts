// Traffic matrices: how much each rank sends to each other rank. Row = sender, column = receiver.

/** Elements or bytes that each rank sends to each rank: `matrix[rank][peer]`. */
export type TrafficMatrix = readonly (readonly number[])[];

/** A matrix that is computed for any number of ranks and any size. */
export type TrafficPattern =
  | { kind: 'uniform' }
  | { kind: 'diagonal' }
  /** `exponent`: S of Zipf's law. `seed` draws which ranks are popular. */
  | { kind: 'zipf'; exponent: number; seed: number }
  /** `hotRanks`: number of ranks that receive everything; `seed` draws which. */
  | { kind: 'hot'; hotRanks: number; seed: number };

/** Largest exponent of Zipf's law: with 2 ranks all but a thousandth goes to one. */
const maxExponent = 10;
const maxSeed = 2 ** 32 - 1;

/**
 * Parses the name of a computed matrix: "uniform", "diagonal", "zipf:1.2", "hot:2", the latter two optionally with a seed, "hot:2:7".
 * @returns the pattern; null if the text begins as no such name; a text that says what is wrong if it only begins as one
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

/** Returns the name of a pattern; parseTrafficPattern() reads it. The seed is left out if it is 0. */
export function trafficPatternName(pattern: TrafficPattern): string {
  if (pattern.kind === 'uniform' || pattern.kind === 'diagonal') return pattern.kind;
  const value = pattern.kind === 'zipf' ? pattern.exponent : pattern.hotRanks;
  return `${pattern.kind}:${value}${pattern.seed === 0 ? '' : `:${pattern.seed}`}`;
}

/** Returns 32 well-mixed bits of two numbers (the finalizer of MurmurHash3). */
function mixed(seed: number, index: number): number {
  let bits = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Returns the position of each item in an order that the seed draws: a permutation of 0 to n-1. */
export function drawnOrder(seed: number, n: number): number[] {
  const order = Array.from({ length: n }, (_, index) => index).sort(
    (a, b) => mixed(seed, a) - mixed(seed, b) || a - b,
  );
  const positions = new Array<number>(n).fill(0);
  for (const [position, item] of order.entries()) positions[item] = position;
  return positions;
}

/** Returns the shares of n items, the most popular first: proportional to 1 / position^exponent, together 1. */
export function zipfShares(exponent: number, n: number): number[] {
  const weights = Array.from({ length: n }, (_, position) => (position + 1) ** -exponent);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Returns for each receiver its share of what `rank` sends. The shares are 1 together. */
function sharesOf(pattern: TrafficPattern, rank: number, ranks: number): number[] {
  const peers = Array.from({ length: ranks }, (_, peer) => peer);
  if (pattern.kind === 'uniform') return peers.map(() => 1 / ranks);
  if (pattern.kind === 'diagonal') return peers.map((peer) => Number(peer === (rank + 1) % ranks));
  const positions = drawnOrder(pattern.seed, ranks);
  if (pattern.kind === 'hot')
    return positions.map((position) => (position < pattern.hotRanks ? 1 / pattern.hotRanks : 0));
  const shares = zipfShares(pattern.exponent, ranks);
  return positions.map((position) => shares[position] ?? 0);
}

/**
 * Divides whole elements by shares: each receiver gets its share rounded down, and the remaining elements go to those with the
 * largest remainders. Ties are resolved in the order of the distance from `rank`, so that no receiver gains from all senders.
 */
function divided(elements: number, shares: readonly number[], rank: number): number[] {
  const exact = shares.map((share) => share * elements);
  const parts = exact.map((one) => Math.floor(one + 1e-9));
  let left = elements - parts.reduce((all, one) => all + one, 0);
  const distance = (peer: number) => (peer - rank + shares.length) % shares.length;
  const remainder = (peer: number) => (exact[peer] ?? 0) - (parts[peer] ?? 0);
  const order = parts
    .map((_, peer) => peer)
    .filter((peer) => (shares[peer] ?? 0) > 0)
    .sort((a, b) => remainder(b) - remainder(a) || distance(a) - distance(b));
  for (const peer of order) {
    if (left <= 0) break;
    parts[peer] = (parts[peer] ?? 0) + 1;
    left--;
  }
  return parts;
}

/**
 * Returns the elements that each rank sends to each rank. Every rank sends `elementsPerRank` elements in all, itself included.
 */
export const trafficMatrix = (
  pattern: TrafficPattern,
  ranks: number,
  elementsPerRank: number,
): TrafficMatrix =>
  Array.from({ length: ranks }, (_, rank) => divided(elementsPerRank, sharesOf(pattern, rank, ranks), rank));

/** Sums over a traffic matrix, in its unit. */
export interface TrafficSums {
  /** All entries together. */
  total: number;
  /** Sum of all that ranks send to other ranks. */
  sent: number;
  /** The most that one rank sends to others, or receives from others: the load of the busiest port. */
  busiest: number;
  /** Number of ranks that receive something, from themselves or others. */
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

/** Returns the matrix as text for the ranks: a line per sender, numbers of elements with one space between. */
export const trafficScript = (matrix: TrafficMatrix): string => matrix.map((row) => row.join(' ')).join('\n');

/** Reads the text of trafficScript(). */
export const trafficOfScript = (script: string): TrafficMatrix =>
  script.split('\n').map((line) => line.split(' ').map(Number));
