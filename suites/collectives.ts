import { leastMoved, partsOf } from '../results/derive/traffic.ts';
import { type CollectiveName, collectiveNames } from '../results/schema/plan.ts';

export { busFactor, busFactors } from '../results/derive/bus-factor.ts';
export { dtypeBytes } from '../results/derive/traffic.ts';

/** What a collective is, as far as planning needs it; bytes and counts follow NCCL and nccl-tests. */
export interface Collective {
  name: CollectiveName;
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
  /** Parts that S is made of where it is: `count` is one of them. */
  parts: (ranks: number) => number;
  /** Ranks that have a result to verify. */
  resultOn: 'every rank' | 'the root';
  /** Payloads S in the send and the receive buffer of the rank that needs most; both are one buffer in place. */
  buffers: { send: (ranks: number) => number; receive: (ranks: number) => number };
  /** How many times S all ranks together put on the wire at best. */
  wire: (ranks: number) => number;
  /** Why it cannot run with so many ranks, as "needs ..."; null where it can. */
  refuses?: (ranks: number) => string | null;
}

const whole = () => 1;
const part = (ranks: number) => 1 / ranks;
/** Hypercube's S leaves out a rank's own part. */
const ownPart = (ranks: number) => 1 / Math.max(1, ranks - 1);
const allParts = (ranks: number) => ranks / Math.max(1, ranks - 1);

/** One row per collective: the command line, help, planning and tests loop over it. */
export const collectives: Record<CollectiveName, Collective> = {
  allreduce: {
    name: 'allreduce',
    summary: 'every rank gets the reduction of all vectors',
    reduces: true,
    rooted: false,
    hasInPlace: true,
    countsPart: false,
    parts: partsOf.allreduce,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: leastMoved.allreduce,
  },
  allgather: {
    name: 'allgather',
    summary: 'every rank gets the parts of all ranks, in rank order',
    reduces: false,
    rooted: false,
    hasInPlace: true,
    countsPart: true,
    parts: partsOf.allgather,
    resultOn: 'every rank',
    buffers: { send: part, receive: whole },
    wire: leastMoved.allgather,
  },
  reducescatter: {
    name: 'reducescatter',
    summary: 'every rank gets its part of the reduction',
    reduces: true,
    rooted: false,
    hasInPlace: true,
    countsPart: true,
    parts: partsOf.reducescatter,
    resultOn: 'every rank',
    buffers: { send: whole, receive: part },
    wire: leastMoved.reducescatter,
  },
  broadcast: {
    name: 'broadcast',
    summary: 'every rank gets the vector of the root',
    reduces: false,
    rooted: true,
    hasInPlace: true,
    countsPart: false,
    parts: partsOf.broadcast,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: leastMoved.broadcast,
  },
  reduce: {
    name: 'reduce',
    summary: 'the root gets the reduction of all vectors',
    reduces: true,
    rooted: true,
    hasInPlace: true,
    countsPart: false,
    parts: partsOf.reduce,
    resultOn: 'the root',
    buffers: { send: whole, receive: whole },
    wire: leastMoved.reduce,
  },
  alltoall: {
    name: 'alltoall',
    summary: 'every rank gets a part of its own from each rank',
    reduces: false,
    rooted: false,
    hasInPlace: false,
    countsPart: true,
    parts: partsOf.alltoall,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: leastMoved.alltoall,
  },
  gather: {
    name: 'gather',
    summary: 'the root gets the parts of all ranks, in rank order',
    reduces: false,
    rooted: true,
    hasInPlace: true,
    countsPart: true,
    parts: partsOf.gather,
    resultOn: 'the root',
    buffers: { send: part, receive: whole },
    wire: leastMoved.gather,
  },
  scatter: {
    name: 'scatter',
    summary: 'every rank gets its part of the vector of the root',
    reduces: false,
    rooted: true,
    hasInPlace: true,
    countsPart: true,
    parts: partsOf.scatter,
    resultOn: 'every rank',
    buffers: { send: whole, receive: part },
    wire: leastMoved.scatter,
  },
  sendrecv: {
    name: 'sendrecv',
    summary: 'every rank gets the vector of the rank before it, round the ring',
    reduces: false,
    rooted: false,
    hasInPlace: false,
    countsPart: false,
    parts: partsOf.sendrecv,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: leastMoved.sendrecv,
  },
  hypercube: {
    name: 'hypercube',
    summary: 'every rank gets the parts of all ranks by pairwise exchanges',
    reduces: false,
    rooted: false,
    hasInPlace: true,
    countsPart: true,
    parts: partsOf.hypercube,
    resultOn: 'every rank',
    buffers: { send: ownPart, receive: allParts },
    wire: leastMoved.hypercube,
    refuses: (n) => (Number.isInteger(Math.log2(n)) ? null : 'needs a power of two'),
  },
  alltoallv: {
    name: 'alltoallv',
    summary: 'every rank gets a part of its own from each rank, of uneven lengths',
    reduces: false,
    rooted: false,
    hasInPlace: false,
    countsPart: true,
    parts: partsOf.alltoallv,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: leastMoved.alltoallv,
  },
};

export const isCollective = (name: string): name is CollectiveName =>
  (collectiveNames as readonly string[]).includes(name);

/**
 * Bytes of all buffers of all ranks of one launch at one point.
 * @param payloadBytes S
 */
export function bufferBytes(collective: Collective, payloadBytes: number, ranks: number, inPlace: boolean) {
  const send = collective.buffers.send(ranks);
  const receive = collective.buffers.receive(ranks);
  return Math.round(ranks * payloadBytes * (inPlace ? Math.max(send, receive) : send + receive));
}
