import { engineRow, type WorkloadAxes, workloads } from '../../schema/index.ts';
import { costOf } from '../cost.ts';
import { type LinkCostName, type LinkDevice, softmlx5Link, softntbLink } from './device.ts';

/**
 * Numbers of times that one operation pays each cost of a link (latency, DMA start, ...), from which its duration can be computed.
 */
export interface LinkSteps {
  /** Number of times that each fixed cost, such as `latency`, is paid, one after the other. */
  times: Readonly<Partial<Record<Exclude<LinkCostName, 'byte'>, number>>>;
  /** Number of data writes, one after the other. Each takes its bandwidth time, or the cost `message` if that is longer. */
  writes: number;
  /** Bytes of one write. */
  bytes: number;
  /** True if software handles one message while the link carries another, so that software time does not add to link time. */
  overlaps?: boolean;
}

/** Model of how a transport sends messages: how often each message pays each cost of the link. */
interface LinkCostModel {
  device: LinkDevice;
  /** False if it is not known how the transport sends messages; the model then assumes one write per message. */
  isKnown: boolean;
  /** Returns how often one message of `bytes` pays each cost, from the sender until the receiver has it: half of a round trip. */
  hop(bytes: number): LinkSteps;
  /**
   * Returns how often all `window` messages of `bytes` each together pay each cost of the link, if they are sent one way without
   * waiting for answers; null if not known.
   */
  window(bytes: number, window: number): LinkSteps | null;
}

/**
 * Longest message in bytes that is copied instead of written directly to the receiver's buffer (kInlineBytes in
 * native/transports/ibgda and sisci).
 */
const longestShort = 8192;

/**
 * Model of how native/transports/ibgda sends messages. Short message: a data write, then a write of one word that announces the
 * data. Long message: first the receiver writes the target address to the sender; then follow the data write and the announcing
 * word.
 */
const ibgda: LinkCostModel = {
  device: softmlx5Link,
  isKnown: true,
  hop: (bytes) => {
    const ways = bytes <= longestShort ? 1 : 2;
    return { times: { latency: ways, message: ways }, writes: 1, bytes };
  },
  // The steps of long messages are unknown: the receiver's words, the writes and their completions overlap.
  window: (bytes, window) =>
    bytes <= longestShort
      ? { times: { latency: 1, message: window }, writes: window, bytes, overlaps: true }
      : null,
};

/**
 * Model of how native/transports/sisci sends messages. Short message: stores, a barrier, then a number that announces the data.
 * Long message: DMA to the buffer that the receiver posted, then such a number. A round trip waits for one flush, so half a flush
 * is counted in each direction.
 */
const sisci: LinkCostModel = {
  device: softntbLink,
  isKnown: true,
  hop: (bytes) =>
    bytes <= longestShort
      ? { times: { pioWrite: 1 }, writes: 0, bytes: 0 }
      : { times: { dmaStart: 1, pioWrite: 1.5 }, writes: 1, bytes },
  window: () => null,
};

/** Model for transports about which nothing is known: one message is one write. */
const plain: LinkCostModel = {
  device: softmlx5Link,
  isKnown: false,
  hop: (bytes) => ({ times: { latency: 1 }, writes: 1, bytes }),
  window: (bytes, window) => ({ times: { latency: 1 }, writes: window, bytes, overlaps: true }),
};

/**
 * Returns the model of how a transport sends messages.
 * @param transport name without settings or path
 * @param engine name of the engine; for sisci and ibgda it decides whether collbench itself sends the messages, which costs other
 * steps than the engine's own code
 */
export function wayOf(transport: string, engine: string): LinkCostModel {
  const isEmbedded = engineRow({ engine }).isEmbedded === true;
  if (transport === 'sisci') return isEmbedded ? sisci : { ...plain, device: softntbLink, hop: plainDma };
  return transport === 'ibgda' && isEmbedded ? ibgda : plain;
}
const plainDma = (bytes: number): LinkSteps => ({ times: { dmaStart: 1 }, writes: 1, bytes });

/**
 * Lowest number of messages sent without waiting for answers that the model describes. With fewer, their overlap depends on the
 * transport.
 */
const minWindow = 16;

export interface LinkOperation {
  workload: string;
  axes: WorkloadAxes;
  /** Name of the operation: "allreduce", "pingpong". */
  what: string;
  ranks: number;
  /** Algorithm that the engine chose: "Ring/LL", "ring"; "" if unknown. */
  choice: string;
  /** Payload of the message or of the collective. */
  bytes: number;
}

/**
 * Returns how often one message or collective pays each cost of the link. Null if not known: for messages that share the link with
 * others, windows below `minWindow` or that the model does not describe, algorithms other than ring (with two ranks also direct),
 * and parts of a collective's data above `longestShort` bytes on a transport whose model is known.
 */
export function stepsOf(
  way: LinkCostModel,
  { workload, axes, what, ranks, choice, bytes }: LinkOperation,
): LinkSteps | null {
  const pattern = workloads.find(({ name }) => name === workload)?.messagePattern?.({ axes, ranks }) ?? null;
  if (pattern === null) return null;
  if (pattern.kind === 'reply') return way.hop(bytes);
  if (pattern.kind === 'stream')
    return pattern.window >= minWindow ? way.window(bytes, pattern.window) : null;
  const algorithm = (choice.split('/')[0] ?? '').toLowerCase();
  // Messages of other algorithms overlap in ways that only the engine determines.
  const isSerial = algorithm === 'ring' || (ranks === 2 && algorithm === 'direct');
  const cost = isSerial ? costOf(what, algorithm) : null;
  if (cost === null) return null;
  const steps = cost.steps(ranks);
  const part = (cost.share(ranks) * bytes) / steps;
  // Receivers of long parts announce their buffers early, which overlaps with other parts, so the number of steps is not known.
  if (way.isKnown && part > longestShort) return null;
  const hop = way.hop(part);
  const times = Object.fromEntries(Object.entries(hop.times).map(([name, n]) => [name, n * steps]));
  return { times, writes: hop.writes * steps, bytes: hop.bytes };
}
