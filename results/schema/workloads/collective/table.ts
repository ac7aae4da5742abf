// Collectives of NCCL and nccl-tests. The payload S is the "size" column of nccl-tests in bytes: the larger one of send and receive
// buffer. For hypercube, S does not contain the rank's own part.

import { alltoallvMaxShare, alltoallvMovedElements } from './alltoallv.ts';

type BufferRanks = (ranks: number) => number;

export interface CollectiveRow {
  /** Description of the collective in one line, for the help of its command. */
  summary: string;
  /** True if the collective reduces, so that the option `--op` has a meaning. */
  reduces: boolean;
  /** True if the collective has a root rank, so that the option `--root` has a meaning. */
  rooted: boolean;
  /** True if the result can be written to the input buffer. */
  hasInPlace: boolean;
  /**
   * True if the count argument of the NCCL call is the number of elements of one rank's part of the payload, false if it is that of
   * the whole payload.
   */
  countsPart: boolean;
  /** Ranks that receive a result, which must then be verified there. */
  resultOn: 'every rank' | 'the root';
  /**
   * Size of the send and the receive buffer divided by S, for a number of ranks, on the rank where the buffer is largest. In place
   * both are one buffer.
   */
  buffers: { send: BufferRanks; receive: BufferRanks };
  /** True if NCCL implements the collective by plain sends and receives, so that the user cannot choose an algorithm. */
  isPlain: boolean;
  /**
   * Number of equal parts of which the payload S consists, for a number of ranks: S = parts(ranks) times the bytes of as many
   * elements as the count argument of the NCCL call.
   */
  parts: BufferRanks;
  /**
   * Lowest number of bytes that all ranks together must send to other ranks, divided by the payload S; 0 for a single rank.
   * @param count count argument of the NCCL call, in elements; only the result for alltoallv depends on it
   */
  minMoved: (ranks: number, count: number) => number;
  /**
   * Bus factor: smallest share of S that the link of the busiest rank must carry, for a number of ranks. `source`: publication that
   * has the formula.
   */
  bus: { factor: BufferRanks; source: string };
  /**
   * Returns the reason why the collective cannot run with this number of ranks, as text that begins with "needs"; null if it can.
   * Nothing is thrown. Absent = it runs with any number.
   */
  refuses?: (ranks: number) => string | null;
  /**
   * True if a traffic matrix can give the sizes of the parts that ranks send to each other; the command then belongs to the
   * workload `matrix`. Absent = not.
   */
  takesMatrix?: true;
}

const ncclTests = 'nccl-tests doc/PERFORMANCE.md, "Bus bandwidth"';

const whole: BufferRanks = () => 1;
const part: BufferRanks = (n) => 1 / n;
const others: BufferRanks = (n) => n - 1;
const share: BufferRanks = (n) => (n - 1) / n;
const once: BufferRanks = (n) => (n > 1 ? 1 : 0);
/**
 * Bytes of one rank's part divided by S, for collective hypercube, where S does not contain the rank's own part. `allParts`: bytes
 * of the parts of all ranks divided by S.
 */
const ownPart: BufferRanks = (n) => 1 / Math.max(1, n - 1);
const allParts: BufferRanks = (n) => n / Math.max(1, n - 1);

/** Properties of most collectives; a row of the table names only what differs from them. */
const usual = {
  reduces: false,
  rooted: false,
  hasInPlace: true,
  countsPart: true,
  resultOn: 'every rank',
  buffers: { send: whole, receive: whole },
  isPlain: false,
  parts: (n: number) => n,
  minMoved: others,
} as const;

/** Collectives by name. Command line, help, planning, figures and tests loop over this table. */
const rows = {
  allreduce: {
    ...usual,
    summary: "each rank receives the reduction of every rank's vector",
    reduces: true,
    countsPart: false,
    parts: whole,
    minMoved: (n) => 2 * (n - 1),
    bus: {
      factor: (n) => (2 * (n - 1)) / n,
      source: `${ncclTests}, AllReduce: each element is sent in n-1 and received in n-1 of n parts`,
    },
  },
  allgather: {
    ...usual,
    summary: "each rank receives every rank's block, in rank order",
    buffers: { send: part, receive: whole },
    bus: {
      factor: share,
      source: `${ncclTests}, AllGather: n-1 of n parts arrive at each rank`,
    },
  },
  reducescatter: {
    ...usual,
    summary: 'each rank receives its block of the reduced vector',
    reduces: true,
    buffers: { send: whole, receive: part },
    bus: {
      factor: share,
      source: `${ncclTests}, ReduceScatter: n-1 of n parts leave each rank`,
    },
  },
  broadcast: {
    ...usual,
    summary: "each rank receives the root's vector",
    rooted: true,
    countsPart: false,
    parts: whole,
    bus: {
      factor: once,
      source: `${ncclTests}, Broadcast: the root's link carries S once; a single rank moves nothing`,
    },
  },
  reduce: {
    ...usual,
    summary: "the root receives the reduction of every rank's vector",
    reduces: true,
    rooted: true,
    countsPart: false,
    resultOn: 'the root',
    parts: whole,
    bus: {
      factor: once,
      source: `${ncclTests}, Reduce: the root's link carries S once; a single rank moves nothing`,
    },
  },
  alltoall: {
    ...usual,
    summary: 'each rank receives one block from every rank',
    hasInPlace: false,
    isPlain: true,
    bus: {
      factor: share,
      source: `${ncclTests}, AlltoAll as in src/alltoall.cu: n-1 of n parts leave each rank`,
    },
  },
  gather: {
    ...usual,
    summary: "the root receives every rank's block, in rank order",
    rooted: true,
    resultOn: 'the root',
    buffers: { send: part, receive: whole },
    isPlain: true,
    minMoved: share,
    bus: {
      factor: share,
      source: `${ncclTests}, as in src/gather.cu: n-1 of n parts arrive at the root`,
    },
  },
  scatter: {
    ...usual,
    summary: "each rank receives its block of the root's vector",
    rooted: true,
    buffers: { send: whole, receive: part },
    isPlain: true,
    minMoved: share,
    bus: {
      factor: share,
      source: `${ncclTests}, as in src/scatter.cu: n-1 of n parts leave the root`,
    },
  },
  sendrecv: {
    ...usual,
    summary: 'each rank receives the vector of its predecessor in the ring',
    hasInPlace: false,
    countsPart: false,
    isPlain: true,
    parts: whole,
    minMoved: (n) => (n > 1 ? n : 0),
    bus: {
      factor: once,
      source: `${ncclTests}, as in src/sendrecv.cu: each rank sends S and receives S; a single rank moves nothing`,
    },
  },
  hypercube: {
    ...usual,
    summary: "allgather by pairwise exchanges: each rank receives every rank's block",
    buffers: { send: ownPart, receive: allParts },
    refuses: (n) => (Number.isInteger(Math.log2(n)) ? null : 'needs a power of two of ranks'),
    isPlain: true,
    parts: (n) => n - 1,
    minMoved: (n) => (n > 1 ? n : 0),
    bus: {
      factor: once,
      source: `${ncclTests}, as in src/hypercube.cu: S is the n-1 parts that arrive at each rank`,
    },
  },
  alltoallv: {
    ...usual,
    summary: 'each rank receives one block from every rank, of unequal sizes',
    takesMatrix: true,
    hasInPlace: false,
    isPlain: true,
    minMoved: alltoallvMovedElements,
    bus: {
      factor: alltoallvMaxShare,
      source: `${ncclTests}, as AlltoAll, but of uneven parts: rank 0 keeps the shortest, half of S/n, and sends the others`,
    },
  },
} as const satisfies Record<string, CollectiveRow>;

export type CollectiveName = keyof typeof rows;
export const collectives: Readonly<Record<CollectiveName, CollectiveRow>> = rows;

export const isCollective = (name: unknown): name is CollectiveName =>
  typeof name === 'string' && Object.hasOwn(rows, name);

/** Names of all collectives, in the order in which help and lists show them. */
export const collectiveNames: readonly CollectiveName[] = Object.keys(rows).filter(isCollective);
