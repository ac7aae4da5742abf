// Routings of a mixture of experts: how many tokens each rank sends to each expert.
import { sharesOf, type TrafficPattern, wholeParts } from '../matrix/traffic-matrix.ts';

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

/**
 * Divides the rows of one rank (a row is a token for one expert) among experts by their shares. An expert gets a token at most
 * once, so its rows are limited to `tokens`; what is above the limit goes to the other experts, in proportion to their shares. Then
 * rows are rounded to whole numbers (wholeParts()); `first` is the first expert of the rank.
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
  return wholeParts(exact, rows, first, (expert, part) => (shares[expert] ?? 0) > 0 && part < tokens);
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
  const shares = sharesOf(pattern, experts);
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
