import type { WorkloadAxes } from '../../schema/index.ts';
import { costOf } from '../cost.ts';
import { type LinkCostName, type LinkDevice, softmlx5Link, softntbLink } from './device.ts';

/** What one operation waits for. */
export interface LinkSteps {
  /** How often each fixed cost is paid, one after the other. */
  times: Readonly<Partial<Record<Exclude<LinkCostName, 'byte'>, number>>>;
  /** Writes of data, one after the other. Each takes its bytes by bandwidth, or `message` where that is longer. */
  writes: number;
  /** Of one write. */
  bytes: number;
  /** Software works on one message while another is on the link; its time does not add to that of the link. */
  overlaps?: boolean;
}

/** What is known of an operation, by transport. */
interface LinkCostModel {
  device: LinkDevice;
  /** False: nothing is known of the transport's own steps, and a message is taken for one write. */
  isKnown: boolean;
  /** A message from one rank to another that waits for it: half of a round trip. */
  hop(bytes: number): LinkSteps;
  /** `window` messages one way, as fast as they go; null = its steps are not known. */
  window(bytes: number, window: number): LinkSteps | null;
}

/** Longer messages go where the receiver posted them (native/transports/ibgda and sisci: kInlineBytes). */
const longestShort = 8192;

/**
 * native/transports/ibgda. Short: a write and, behind it, a word that announces it. Long: the word of the receiver that says
 * where to, the write, the word that announces it.
 */
const ibgda: LinkCostModel = {
  device: softmlx5Link,
  isKnown: true,
  hop: (bytes) => {
    const ways = bytes <= longestShort ? 1 : 2;
    return { times: { latency: ways, message: ways }, writes: 1, bytes };
  },
  // Of long ones the receiver's words, the writes and their ends overlap.
  window: (bytes, window) =>
    bytes <= longestShort
      ? { times: { latency: 1, message: window }, writes: window, bytes, overlaps: true }
      : null,
};

/**
 * native/transports/sisci. Short: stores, a barrier, the number that announces them. Long: DMA to where the receiver posted,
 * then such a number; of a round trip one flush behind a post is waited for, half of it in one hop.
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

/** A message as one write: any other transport. */
const plain: LinkCostModel = {
  device: softmlx5Link,
  isKnown: false,
  hop: (bytes) => ({ times: { latency: 1 }, writes: 1, bytes }),
  window: (bytes, window) => ({ times: { latency: 1 }, writes: window, bytes, overlaps: true }),
};

/** @param transport its short name @param engine "cpu": its transports are those of this project */
export function wayOf(transport: string, engine: string): LinkCostModel {
  if (transport === 'sisci')
    return engine === 'cpu' ? sisci : { ...plain, device: softntbLink, hop: plainDma };
  return transport === 'ibgda' && engine === 'cpu' ? ibgda : plain;
}
const plainDma = (bytes: number): LinkSteps => ({ times: { dmaStart: 1 }, writes: 1, bytes });

/** With fewer under way, what overlaps depends on the transport. */
const leastWindow = 16;

export interface LinkOperation {
  workload: string;
  axes: WorkloadAxes;
  /** "allreduce", "pingpong". */
  what: string;
  ranks: number;
  /** "Ring/LL", "ring"; "" where the engine did not say. */
  choice: string;
  bytes: number;
}

/** Steps of one operation as its time is counted; null where they are not known. */
export function stepsOf(
  way: LinkCostModel,
  { workload, axes, what, ranks, choice, bytes }: LinkOperation,
): LinkSteps | null {
  if (workload === 'p2p') {
    // More pairs share the link.
    if (ranks !== 2) return null;
    if (what === 'pingpong') return way.hop(bytes);
    const window = Number(axes.window);
    return what === 'put' && axes.direction === 'uni' && window >= leastWindow
      ? way.window(bytes, window)
      : null;
  }
  if (workload !== 'collective') return null;
  const algorithm = (choice.split('/')[0] ?? '').toLowerCase();
  // Messages of other algorithms overlap in ways that only the engine knows.
  const isSerial = algorithm === 'ring' || (ranks === 2 && algorithm === 'direct');
  const cost = isSerial ? costOf(what, algorithm) : null;
  if (cost === null) return null;
  const steps = cost.steps(ranks);
  const part = (cost.share(ranks) * bytes) / steps;
  // Receivers of long parts say early where they want them, which overlaps with other parts.
  if (way.isKnown && part > longestShort) return null;
  const hop = way.hop(part);
  const times = Object.fromEntries(Object.entries(hop.times).map(([name, n]) => [name, n * steps]));
  return { times, writes: hop.writes * steps, bytes: hop.bytes };
}
