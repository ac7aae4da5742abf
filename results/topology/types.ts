import type { LinkRate } from './rates.ts';

export type DeviceKind = 'gpu' | 'network' | 'ntb' | 'accelerator' | 'bridge' | 'other';

/** A device of a machine, with the devices below it in the PCIe tree. */
export interface TopologyDevice {
  /** PCI address if the device has one; otherwise another name that is unique on its machine. */
  id: string;
  kind: DeviceKind;
  /** Short name for tables: "GPU 0", "mlx5_0". */
  short: string;
  /** Further text for tables: a GPU's model "NVIDIA H200", an adapter's interface "ens1". */
  detail: string;
  /** Rate of the PCIe link to the bridge or processor above the device; null if the device has no link of its own. */
  up: LinkRate | null;
  /** Phrase about a problem of the link `up`, such as "has x8 of x16" lanes; null if there is none. */
  problem: string | null;
  /** Rate of the network link that leaves the machine; null if there is none or its rate is not known. */
  wire: LinkRate | null;
  children: TopologyDevice[];
}

/** A NUMA node with the devices below it; `node` is its number, null if not known. */
export interface NumaDomain {
  node: number | null;
  /** CPUs of the NUMA node as a list: "0-47"; null if not known. */
  cpus: string | null;
  devices: TopologyDevice[];
}

/** Links of one kind other than PCIe, from a GPU to the same other end. `from`: id of the GPU; `count`: number of links. */
export interface PeerLink {
  from: string;
  /** Other end of the links: the id of a GPU, "switch" or "processor". Null if the source does not name it. */
  to: string | null;
  /** Kind of link: "NVLink", "xGMI", "C2C"; for an unknown kind the name that the source uses. */
  kind: string;
  count: number;
  /** Rate of all `count` links together, in one direction. */
  rate: LinkRate;
}

/**
 * Devices of one machine and their connections. A value that is not known is null; no usual value takes its place. `processor`:
 * name of the processor; `sockets`: number of processors; `peers`: links other than PCIe; `notes`: remarks for readers.
 */
export interface Topology {
  host: string;
  /** Source of the facts: "sysfs and NVML", "NCCL, system.xml". */
  source: string;
  processor: string | null;
  sockets: number | null;
  domains: NumaDomain[];
  peers: PeerLink[];
  notes: string[];
}

/**
 * A ring, tree or other graph that NCCL made. If it was read from a log, its members are ranks of a communicator; if it was read
 * from a graph file, they are devices of one machine, "GPU 0" or "NET 0".
 */
export interface CommGraph {
  source: string;
  /** Kind of the graph: "ring", "tree" ... */
  pattern: string;
  /** Further text for readers: "inside NVL, estimated at 20 GB/s per channel"; "" if the graph was read from a log. */
  detail: string;
  channels: GraphChannel[];
}

export interface GraphChannel {
  channel: number;
  /**
   * Members in the order of the ring or chain: names of devices ("GPU 0", "NET 0") or numbers of ranks. The first is not repeated
   * at the end, but a ring through an adapter may have it at both ends. Empty for a tree.
   */
  order: string[];
  /**
   * True if the last member of `order` sends to the first. False for a ring through an adapter, which continues on another
   * machine.
   */
  isClosed: boolean;
  /** Edges of a tree as [child, parent]; empty for rings and chains. */
  edges: [child: string, parent: string][];
}

/** Returns the PCI address of a device; '' if it has none. */
export const addressOf = ({ id }: TopologyDevice): string => (id.startsWith('net ') ? '' : id);

/** Returns the PCI address without the usual domain 0000: "18:00.0" for "0000:18:00.0"; '' if the device has no PCI address. */
export const shortAddressOf = (device: TopologyDevice): string => addressOf(device).replace(/^0000:/, '');

/** True if the member of a ring or tree is a network adapter ("NET 0") and not a GPU or rank. */
export const isAdapterName = (member: string): boolean => member.startsWith('NET');

/** Returns all devices of a machine; each device precedes the devices below it. */
export function devicesOf({ domains }: Pick<Topology, 'domains'>): TopologyDevice[] {
  const all: TopologyDevice[] = [];
  const pending = domains.flatMap(({ devices }) => devices).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    all.push(next);
    pending.push(...[...next.children].reverse());
  }
  return all;
}

/** Thrown if a file with topology data, or part of it, cannot be understood; the message says what was expected. */
export class TopologyError extends Error {
  override name = 'TopologyError';
}
