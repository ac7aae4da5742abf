import { type CollectiveName, collectiveNames } from '../results/schema/index.ts';

export { busFactor, busFactors, dtypeBytes } from '../results/derive/index.ts';

/** What a collective is, as far as planning needs it; bytes and counts follow NCCL and nccl-tests. */
export interface Collective {
  name: CollectiveName;
  /** One line for help. */
  summary: string;
  /** `--op` applies. */
  reduces: boolean;
  /** `--root` applies. */
  rooted: boolean;
  /** NCCL's count argument is one rank's part of the payload, not the whole of it. */
  countsPart: boolean;
  /** Ranks that have a result to verify. */
  resultOn: 'every rank' | 'the root';
  /** Payloads S in the send and the receive buffer of the rank that needs most; both are one buffer in place. */
  buffers: { send: (ranks: number) => number; receive: (ranks: number) => number };
  /** How many times S all ranks together put on the wire at best. */
  wire: (ranks: number) => number;
}

const whole = () => 1;
const part = (ranks: number) => 1 / ranks;

/** One row per collective: the command line, help, planning and tests loop over it. */
export const collectives: Record<CollectiveName, Collective> = {
  allreduce: {
    name: 'allreduce',
    summary: 'every rank gets the reduction of all vectors',
    reduces: true,
    rooted: false,
    countsPart: false,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: (n) => 2 * (n - 1),
  },
  allgather: {
    name: 'allgather',
    summary: 'every rank gets the parts of all ranks, in rank order',
    reduces: false,
    rooted: false,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: part, receive: whole },
    wire: (n) => n - 1,
  },
  reducescatter: {
    name: 'reducescatter',
    summary: 'every rank gets its part of the reduction',
    reduces: true,
    rooted: false,
    countsPart: true,
    resultOn: 'every rank',
    buffers: { send: whole, receive: part },
    wire: (n) => n - 1,
  },
  broadcast: {
    name: 'broadcast',
    summary: 'every rank gets the vector of the root',
    reduces: false,
    rooted: true,
    countsPart: false,
    resultOn: 'every rank',
    buffers: { send: whole, receive: whole },
    wire: (n) => n - 1,
  },
  reduce: {
    name: 'reduce',
    summary: 'the root gets the reduction of all vectors',
    reduces: true,
    rooted: true,
    countsPart: false,
    resultOn: 'the root',
    buffers: { send: whole, receive: whole },
    wire: (n) => n - 1,
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
  return ranks * payloadBytes * (inPlace ? Math.max(send, receive) : send + receive);
}
