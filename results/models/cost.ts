import type { CollectiveName } from '../schema/index.ts';

/** Cost of a collective algorithm: time = steps * alpha + share * beta * S, for payload S in bytes. */
export interface CollectiveCost {
  /** Number of messages on the longest chain, each of which waits for the one before; each costs the latency alpha. */
  steps(ranks: number): number;
  /** Bytes that the busiest rank sends or receives, divided by S; each byte costs beta. */
  share(ranks: number): number;
  /** Publication of the formula, or the reason for it, as a text for readers. */
  source: string;
}

const thakur =
  'Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in MPICH"';
const trees =
  'Sanders, Speck, Träff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and scan"';
const before = (n: number) => n - 1;
const part = (n: number) => (n - 1) / n;
const all = () => 1;
const exchanges = (n: number) => Math.floor(Math.log2(n));
const levels = (n: number) => Math.ceil(Math.log2(n));
/**
 * Returns 1 if n (the number of ranks) is not a power of two, else 0. Some ranks then first send their vector to another rank and
 * later receive the result: one more message each way.
 */
const folds = (n: number) => (Number.isInteger(Math.log2(n)) ? 0 : 1);

const spread: CollectiveCost = {
  steps: before,
  share: part,
  source: `${thakur}: each rank has a part for every other`,
};
const fan: CollectiveCost = { steps: before, share: before, source: 'the root has n-1 messages of S' };

/** Costs by algorithm (lower-case names as engines report them), then by collective. Other algorithms have no known cost. */
const costs: Record<string, Readonly<Partial<Record<string, CollectiveCost>>>> = {
  ring: {
    allreduce: { steps: (n) => 2 * (n - 1), share: (n) => (2 * (n - 1)) / n, source: thakur },
    allgather: { steps: before, share: part, source: thakur },
    reducescatter: { steps: before, share: part, source: thakur },
    broadcast: { steps: before, share: all, source: 'a pipeline of chunks through all ranks' },
    reduce: { steps: before, share: all, source: 'a pipeline of chunks through all ranks' },
  },
  tree: {
    allreduce: {
      steps: (n) => 2 * Math.ceil(Math.log2(n)),
      share: () => 2,
      source: `${trees}: S up and S down, pipelined`,
    },
  },
  'double-binary-tree': {
    allreduce: {
      steps: (n) => 2 * (exchanges(n - 1) + 1),
      share: () => 2,
      source: `${trees}: S up and S down`,
    },
    broadcast: { steps: (n) => exchanges(n - 1) + 1, share: all, source: trees },
    reduce: { steps: (n) => exchanges(n - 1) + 1, share: all, source: trees },
  },
  'recursive-doubling': {
    allreduce: {
      steps: (n) => exchanges(n) + 2 * folds(n),
      share: (n) => exchanges(n) + folds(n),
      source: `${thakur}: whole vectors`,
    },
    allgather: { steps: exchanges, share: part, source: thakur },
  },
  'halving-doubling': {
    allreduce: {
      steps: (n) => 2 * (exchanges(n) + folds(n)),
      share: (n) => 2 * part(2 ** exchanges(n)) + folds(n),
      source: thakur,
    },
    reducescatter: { steps: exchanges, share: part, source: thakur },
  },
  bruck: { allgather: { steps: levels, share: part, source: thakur } },
  binomial: {
    broadcast: { steps: levels, share: levels, source: `${thakur}: S to each child` },
    reduce: { steps: levels, share: levels, source: `${thakur}: S of each child` },
  },
  direct: {
    allreduce: { steps: before, share: before, source: 'every rank sends all of S to every other' },
    allgather: spread,
    reducescatter: spread,
    broadcast: fan,
    reduce: fan,
    alltoall: spread,
    gather: spread,
    scatter: spread,
    sendrecv: { steps: all, share: all, source: 'one message each way' },
  },
} satisfies Record<string, Partial<Record<CollectiveName, CollectiveCost>>>;

/**
 * Collectives in which each pair of ranks exchanges its data directly. Their cost is known even if the library reports no
 * algorithm.
 */
const pairwise: readonly string[] = ['alltoall', 'gather', 'scatter', 'sendrecv'];

/**
 * Returns the cost of the collective `what` ("allreduce") with this algorithm, in upper or lower case; null if it is not known. An
 * empty name counts as `direct` for the collectives in `pairwise`.
 */
export function costOf(what: string, algorithm: string): CollectiveCost | null {
  const name = algorithm.toLowerCase();
  const known = costs[name === '' && pairwise.includes(what) ? 'direct' : name];
  return known?.[what] ?? null;
}
