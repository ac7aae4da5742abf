import type { CollectiveName } from '../schema/index.ts';

export interface BusFactor {
  /** Share of the payload S that each rank's link must carry at best; n = ranks >= 1. */
  factor(ranks: number): number;
  /** As people write it. */
  formula: string;
  source: string;
}

const ncclTests = 'nccl-tests doc/PERFORMANCE.md, "Bus bandwidth"';

/** One row per collective: tests and help loop over it. S is the larger of the two buffers (nccl-tests' "size" column). */
export const busFactors: Record<CollectiveName, BusFactor> = {
  allreduce: {
    factor: (n) => (2 * (n - 1)) / n,
    formula: '2(n-1)/n',
    source: `${ncclTests}, AllReduce: each element is sent in n-1 and received in n-1 of n parts`,
  },
  allgather: {
    factor: (n) => (n - 1) / n,
    formula: '(n-1)/n',
    source: `${ncclTests}, AllGather: n-1 of n parts arrive at each rank`,
  },
  reducescatter: {
    factor: (n) => (n - 1) / n,
    formula: '(n-1)/n',
    source: `${ncclTests}, ReduceScatter: n-1 of n parts leave each rank`,
  },
  broadcast: {
    factor: (n) => (n > 1 ? 1 : 0),
    formula: '1',
    source: `${ncclTests}, Broadcast: the root's link carries S once; a single rank moves nothing`,
  },
  reduce: {
    factor: (n) => (n > 1 ? 1 : 0),
    formula: '1',
    source: `${ncclTests}, Reduce: the root's link carries S once; a single rank moves nothing`,
  },
};

/** @throws {RangeError} ranks not a whole number >= 1 */
export function busFactor(collective: CollectiveName, ranks: number): number {
  if (!(Number.isInteger(ranks) && ranks >= 1)) {
    throw new RangeError(`ranks must be a whole number >= 1, got ${ranks}`);
  }
  return busFactors[collective].factor(ranks);
}
