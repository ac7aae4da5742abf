// NCCL and nccl-tests. S is nccl-tests' "size" column: the larger of the two buffers, without a rank's own part for hypercube.

import { alltoallvMaxShare, alltoallvMovedElements } from './alltoallv.ts';

type BufferRanks = (ranks: number) => number;

export interface CollectiveRow {
  /** One line for help. */
  summary: string;
  /** `--op` applies. */
  reduces: boolean;
  /** `--root` applies. */
  rooted: boolean;
  /** The result may take the place of the input. */
  hasInPlace: boolean;
  /** NCCL's count argument is one rank's part of the payload, not the whole of it. */
  countsPart: boolean;
  /** Ranks that have a result to verify. */
  resultOn: 'every rank' | 'the root';
  /** Payloads S in the send and the receive buffer of the rank that needs most; both are one buffer in place. */
  buffers: { send: BufferRanks; receive: BufferRanks };
  /** Made of sends and receives: NCCL has no algorithm to choose there. */
  isPlain: boolean;
  /** Parts that S is made of where it is: `count` is one of them. */
  parts: BufferRanks;
  /**
   * How many times S all ranks together must send between ranks at least; 0 for a single rank.
   * @param count NCCL's count argument; only alltoallv's parts depend on it
   */
  leastMoved: (ranks: number, count: number) => number;
  /** Share of S that the busiest rank's link must carry at best, as people write it, and its source. */
  bus: { factor: BufferRanks; formula: string; source: string };
  /** Why it cannot run with so many ranks, as "needs ..."; null where it can. */
  refuses?: (ranks: number) => string | null;
}

const ncclTests = 'nccl-tests doc/PERFORMANCE.md, "Bus bandwidth"';

const whole: BufferRanks = () => 1;
const part: BufferRanks = (n) => 1 / n;
const others: BufferRanks = (n) => n - 1;
const share: BufferRanks = (n) => (n - 1) / n;
const once: BufferRanks = (n) => (n > 1 ? 1 : 0);
/** Hypercube's S leaves out a rank's own part. */
const ownPart: BufferRanks = (n) => 1 / Math.max(1, n - 1);
const allParts: BufferRanks = (n) => n / Math.max(1, n - 1);

/** One row per collective: the command line, help, planning, figures and tests loop over it. */
const rows = {
  allreduce: {
    summary: "each rank receives the reduction of every rank's vector",
    reduces: true,
    rooted: false,
    hasInPlace: true,
    countsPart: false,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    isPlain: false,
    parts: whole,
    leastMoved: (n) => 2 * (n - 1),
    bus: {
      factor: (n) => (2 * (n - 1)) / n,
      formula: '2(n-1)/n',
      source: `${ncclTests}, AllReduce: each element is sent in n-1 and received in n-1 of n parts`,
    },
  },
  allgather: {
    summary: "each rank receives every rank's block, in rank order",
    reduces: false,
    rooted: false,
    hasInPlace: true,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: part, receive: whole },
    isPlain: false,
    parts: (n) => n,
    leastMoved: others,
    bus: {
      factor: share,
      formula: '(n-1)/n',
      source: `${ncclTests}, AllGather: n-1 of n parts arrive at each rank`,
    },
  },
  reducescatter: {
    summary: 'each rank receives its block of the reduced vector',
    reduces: true,
    rooted: false,
    hasInPlace: true,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: whole, receive: part },
    isPlain: false,
    parts: (n) => n,
    leastMoved: others,
    bus: {
      factor: share,
      formula: '(n-1)/n',
      source: `${ncclTests}, ReduceScatter: n-1 of n parts leave each rank`,
    },
  },
  broadcast: {
    summary: "each rank receives the root's vector",
    reduces: false,
    rooted: true,
    hasInPlace: true,
    countsPart: false,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    isPlain: false,
    parts: whole,
    leastMoved: others,
    bus: {
      factor: once,
      formula: '1',
      source: `${ncclTests}, Broadcast: the root's link carries S once; a single rank moves nothing`,
    },
  },
  reduce: {
    summary: "the root receives the reduction of every rank's vector",
    reduces: true,
    rooted: true,
    hasInPlace: true,
    countsPart: false,
    resultOn: 'the root',
    buffers: { send: whole, receive: whole },
    isPlain: false,
    parts: whole,
    leastMoved: others,
    bus: {
      factor: once,
      formula: '1',
      source: `${ncclTests}, Reduce: the root's link carries S once; a single rank moves nothing`,
    },
  },
  alltoall: {
    summary: 'each rank receives one block from every rank',
    reduces: false,
    rooted: false,
    hasInPlace: false,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    isPlain: true,
    parts: (n) => n,
    leastMoved: others,
    bus: {
      factor: share,
      formula: '(n-1)/n',
      source: `${ncclTests}, AlltoAll as in src/alltoall.cu: n-1 of n parts leave each rank`,
    },
  },
  gather: {
    summary: "the root receives every rank's block, in rank order",
    reduces: false,
    rooted: true,
    hasInPlace: true,
    countsPart: true,
    resultOn: 'the root',
    buffers: { send: part, receive: whole },
    isPlain: true,
    parts: (n) => n,
    leastMoved: share,
    bus: {
      factor: share,
      formula: '(n-1)/n',
      source: `${ncclTests}, as in src/gather.cu: n-1 of n parts arrive at the root`,
    },
  },
  scatter: {
    summary: "each rank receives its block of the root's vector",
    reduces: false,
    rooted: true,
    hasInPlace: true,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: whole, receive: part },
    isPlain: true,
    parts: (n) => n,
    leastMoved: share,
    bus: {
      factor: share,
      formula: '(n-1)/n',
      source: `${ncclTests}, as in src/scatter.cu: n-1 of n parts leave the root`,
    },
  },
  sendrecv: {
    summary: 'each rank receives the vector of its predecessor in the ring',
    reduces: false,
    rooted: false,
    hasInPlace: false,
    countsPart: false,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    isPlain: true,
    parts: whole,
    leastMoved: (n) => (n > 1 ? n : 0),
    bus: {
      factor: once,
      formula: '1',
      source: `${ncclTests}, as in src/sendrecv.cu: each rank sends S and receives S; a single rank moves nothing`,
    },
  },
  hypercube: {
    summary: "allgather by pairwise exchanges: each rank receives every rank's block",
    reduces: false,
    rooted: false,
    hasInPlace: true,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: ownPart, receive: allParts },
    refuses: (n) => (Number.isInteger(Math.log2(n)) ? null : 'needs a power of two of ranks'),
    isPlain: true,
    parts: (n) => n - 1,
    leastMoved: (n) => (n > 1 ? n : 0),
    bus: {
      factor: once,
      formula: '1',
      source: `${ncclTests}, as in src/hypercube.cu: S is the n-1 parts that arrive at each rank`,
    },
  },
  alltoallv: {
    summary: 'each rank receives one block from every rank, of unequal sizes',
    reduces: false,
    rooted: false,
    hasInPlace: false,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    isPlain: true,
    parts: (n) => n,
    leastMoved: alltoallvMovedElements,
    bus: {
      factor: alltoallvMaxShare,
      formula: '(2n-1)/2n',
      source: `${ncclTests}, as AlltoAll, but of uneven parts: rank 0 keeps the shortest, half of S/n, and sends the others`,
    },
  },
} as const satisfies Record<string, CollectiveRow>;

export type CollectiveName = keyof typeof rows;
export const collectives: Readonly<Record<CollectiveName, CollectiveRow>> = rows;

export const isCollective = (name: unknown): name is CollectiveName =>
  typeof name === 'string' && Object.hasOwn(rows, name);

/** In the order of the table. */
export const collectiveNames: readonly CollectiveName[] = Object.keys(rows).filter(isCollective);
