// Routings of a mixture of experts: how many tokens each rank sends to each expert.
import { drawnOrder, type TrafficPattern, zipfShares } from '../matrix/traffic-matrix.ts';

/** Numbers of tokens: `counts[rank][expert]`. */
export type ExpertCounts = readonly (readonly number[])[];

/** A routing that is computed for any number of ranks, experts and tokens. */
export type RoutingPattern = Exclude<TrafficPattern, { kind: 'diagonal' }>;

export interface RoutingShape {
  ranks: number;
  experts: number;
  /** Experts that each token is sent to. */
  topK: number;
  /** Tokens of each rank. */
  tokens: number;
}

/** Returns the share of each expert in all tokens, in the order of the experts; together 1. */
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
 * Divides rows among experts by their shares. An expert gets a token at most once, so its rows are limited to `tokens`; what is
 * above the limit goes to the others, in proportion to their shares. Rows are then rounded to whole ones, the largest remainders
 * up, ties in the order of the distance from the rank's first expert.
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

/** Returns the most tokens of one rank that an expert takes: `factor` times its fair share, rounded up; all if null. */
export const capacityOf = ({ experts, topK, tokens }: RoutingShape, factor: number | null): number =>
  factor === null ? tokens : Math.ceil((factor * tokens * topK) / experts);

/**
 * Returns the numbers of tokens of a computed routing. Every rank has the same popular experts and tokens * topK rows, less those
 * above the capacity, which are dropped.
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
 * Returns how many rows (tokens sent to an expert) each rank sends to each rank: [sender][receiver].
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
