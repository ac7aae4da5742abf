import type { LinkRate } from './rates.ts';

export type DeviceKind = 'gpu' | 'network' | 'ntb' | 'accelerator' | 'bridge' | 'other';

/** A device with its children in the PCIe tree of a machine. */
export interface TopologyDevice {
  /** Identifier, unique on its machine: the PCI address if the device has one. */
  id: string;
  kind: DeviceKind;
  /** Name in tables: "GPU 0", "mlx5_0". */
  short: string;
  /** Further details: "NVIDIA H200", "ens1". */
  detail: string;
  /** The link up to the bridge or processor above; null if the device has no link of its own. */
  up: LinkRate | null;
  /** A problem of this link, as text; null if there is none. */
  problem: string | null;
  /** The link that leaves the machine; null if there is none or its rate is unknown. */
  wire: LinkRate | null;
  children: TopologyDevice[];
}

/** A NUMA node with the devices below it; `node` is null if its number is unknown. */
export interface NumaDomain {
  node: number | null;
  /** Its CPUs as a list: "0-47". */
  cpus: string | null;
  devices: TopologyDevice[];
}

/** All links of one kind, other than PCIe, from a GPU to the same end; sumParallelLinks() adds their counts and rates. */
export interface PeerLink {
  from: string;
  /** Id of a GPU, "switch", "processor", or null if the source does not say. */
  to: string | null;
  /** Kind of link: "NVLink", "xGMI", "C2C"; an unknown kind keeps the name that its source uses. */
  kind: string;
  count: number;
  /** Rate of all `count` links together. */
  rate: LinkRate;
}

/** Connections within one machine. Unknown values are null, never a default. */
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

/** Order of the members of a communicator that NCCL computed: ranks, or devices of one machine. */
export interface CommGraph {
  source: string;
  /** Name of the pattern: "ring", "tree" ... */
  pattern: string;
  /** Further details: "through NVL, 20 GB/s per channel". */
  detail: string;
  channels: GraphChannel[];
}

export interface GraphChannel {
  channel: number;
  /** Members along a ring or chain, the first not repeated at its end; empty if the channel has edges. */
  order: string[];
  /** True if the last member of `order` sends to the first. A ring through an adapter continues on another machine. */
  isClosed: boolean;
  /** Edges of a tree; empty for rings and chains. */
  edges: [child: string, parent: string][];
}

/** Every device of the tree; a device precedes its children. */
export function devicesOf({ domains }: Pick<Topology, 'domains'>): TopologyDevice[] {
  const all: TopologyDevice[] = [];
  const pending = domains.flatMap(({ devices }) => devices).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    all.push(next);
    pending.push(...[...next.children].reverse());
  }
  return all;
}

/** Thrown if part of a file cannot be understood; the message says what was expected. */
export class TopologyError extends Error {
  override name = 'TopologyError';
}
