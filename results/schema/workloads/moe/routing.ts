// Routings of a mixture of experts: how many tokens each rank sends to each expert.
import { drawnOrder, type TrafficPattern, zipfShares } from '../matrix/traffic-matrix.ts';

/** Number of tokens that each rank sends to each expert: `counts[rank][expert]`. */
export type ExpertCounts = readonly (readonly number[])[];

/** Rule by which a routing is computed for any number of ranks, experts and tokens. */
export type RoutingPattern = Exclude<TrafficPattern, { kind: 'diagonal' }>;

export interface RoutingShape {
  ranks: number;
  experts: number;
  /** Number of experts to which each token is sent. */
  topK: number;
  /** Number of tokens that each rank has. */
  tokens: number;
}

/** Returns for each expert, by number, its share of all tokens; together the shares are 1. */
function expertShares(pattern: RoutingPattern, experts: number): number[] {
  const all = Array.from({ length: experts }, () => 1 / experts);
  if (pattern.kind === 'uniform') return all;
  const positions = drawnOrder(pattern.seed, experts);
  if (pattern.kind === 'hot')
    return positions.map((position) => (position < pattern.hotRanks ? 1 / pattern.hotRanks : 0));
  const shares = zipfShares(pattern.exponent, experts);
  return positions.map((position) => shares[position] ?? 0);
}

/**
 * Divides the rows of one rank (a row is a token for one expert) among experts by their shares. An expert gets a token at most
 * once, so its rows are limited to `tokens`; what is above the limit goes to the other experts, in proportion to their shares. Then
 * rows are rounded to whole numbers: the largest remainders are rounded up, equal ones in the order of the expert's distance from
 * `first`, the first expert of the rank.
 * @param tokens number of tokens of the rank
 * @param rows number of rows to divide
 */
function rowsByShares(shares: readonly number[], tokens: number, rows: number, first: number): number[] {
  const exact = new Array<number>(shares.length).fill(0);
  let open = shares.map((_, expert) => expert).filter((expert) => (shares[expert] ?? 0) > 0);
  let left = rows;
  while (open.length > 0) {
    const sum = open.reduce((all, expert) => all + (shares[expert] ?? 0), 0);
    const full = open.filter((expert) => ((shares[expert] ?? 0) / sum) * left >= tokens);
    if (full.length === 0) {
      for (const expert of open) exact[expert] = ((shares[expert] ?? 0) / sum) * left;
      break;
    }
    for (const expert of full) exact[expert] = tokens;
    left -= full.length * tokens;
    open = open.filter((expert) => !full.includes(expert));
  }
  const whole = exact.map((one) => Math.floor(one + 1e-9));
  let missing = rows - whole.reduce((all, one) => all + one, 0);
  const distance = (expert: number) => (expert - first + shares.length) % shares.length;
  const remainder = (expert: number) => (exact[expert] ?? 0) - (whole[expert] ?? 0);
  const order = whole
    .map((_, expert) => expert)
    .sort((a, b) => remainder(b) - remainder(a) || distance(a) - distance(b));
  for (const expert of order) {
    if (missing <= 0) break;
    if ((shares[expert] ?? 0) === 0 || (whole[expert] ?? 0) >= tokens) continue;
    whole[expert] = (whole[expert] ?? 0) + 1;
    missing--;
  }
  return whole;
}

/**
 * Returns the highest number of tokens that one expert takes from one rank: `factor` times an equal share (tokens * topK /
 * experts), rounded up; all tokens if `factor` is null.
 */
export const capacityOf = ({ experts, topK, tokens }: RoutingShape, factor: number | null): number =>
  factor === null ? tokens : Math.ceil((factor * tokens * topK) / experts);

/**
 * Returns the number of tokens that each rank sends to each expert in a computed routing, as counts[rank][expert]. The same
 * experts are popular on every rank. A rank sends tokens * topK rows (tokens for one expert), without those above the capacity,
 * which are dropped.
 * @param factor capacity factor; null = no token is dropped
 */
export function expertCounts(
  pattern: RoutingPattern,
  shape: RoutingShape,
  factor: number | null,
): ExpertCounts {
  const { ranks, experts, topK, tokens } = shape;
  const shares = expertShares(pattern, experts);
  const most = capacityOf(shape, factor);
  return Array.from({ length: ranks }, (_, rank) =>
    rowsByShares(shares, tokens, tokens * topK, (rank * experts) / ranks).map((rows) => Math.min(rows, most)),
  );
}

/**
 * Returns the number of rows (tokens for one expert) that each rank sends to each rank: [sender][receiver].
 * @param counts tokens by rank and expert; the number of experts is a multiple of the number of ranks
 */
export function rowsBetweenRanks(counts: ExpertCounts): number[][] {
  const ranks = counts.length;
  return counts.map((row) => {
    const each = row.length / ranks;
    return Array.from({ length: ranks }, (_, peer) =>
      row.slice(peer * each, (peer + 1) * each).reduce((all, rows) => all + rows, 0),
    );
  });
}
