import type { CollectiveName } from '../../names.ts';

export interface BusFactor {
  /** Share of the payload S that each rank's link must carry at best; n = ranks >= 1. */
  factor(ranks: number): number;
  /** As people write it. */
  formula: string;
  source: string;
}

const ncclTests = 'nccl-tests doc/PERFORMANCE.md, "Bus bandwidth"';

const share = (n: number) => (n - 1) / n;
const once = (n: number) => (n > 1 ? 1 : 0);

/**
 * One row per collective: tests and help loop over it. S is nccl-tests' "size" column: the larger of the two buffers,
 * without a rank's own part for hypercube.
 */
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
  alltoall: {
    factor: share,
    formula: '(n-1)/n',
    source: `${ncclTests}, AlltoAll as in src/alltoall.cu: n-1 of n parts leave each rank`,
  },
  gather: {
    factor: share,
    formula: '(n-1)/n',
    source: `${ncclTests}, as in src/gather.cu: n-1 of n parts arrive at the root`,
  },
  scatter: {
    factor: share,
    formula: '(n-1)/n',
    source: `${ncclTests}, as in src/scatter.cu: n-1 of n parts leave the root`,
  },
  sendrecv: {
    factor: once,
    formula: '1',
    source: `${ncclTests}, as in src/sendrecv.cu: each rank sends S and receives S; a single rank moves nothing`,
  },
  hypercube: {
    factor: once,
    formula: '1',
    source: `${ncclTests}, as in src/hypercube.cu: S is the n-1 parts that arrive at each rank`,
  },
  alltoallv: {
    factor: share,
    formula: '(n-1)/n',
    source: `${ncclTests}, AlltoAllv: all parts are (n-1)/n of S but for the uneven share a rank keeps`,
  },
};

/** @throws {RangeError} ranks not a whole number >= 1 */
export function busFactor(collective: CollectiveName, ranks: number): number {
  if (!(Number.isInteger(ranks) && ranks >= 1)) {
    throw new RangeError(`ranks must be a whole number >= 1, got ${ranks}`);
  }
  return busFactors[collective].factor(ranks);
}
