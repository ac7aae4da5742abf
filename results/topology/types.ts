import type { LinkRate } from './rates.ts';

export type DeviceKind = 'gpu' | 'network' | 'ntb' | 'accelerator' | 'bridge' | 'other';

/** A device at its place in the PCIe tree of a machine. */
export interface TopologyDevice {
  /** Unique on its machine: its PCI address where it has one. */
  id: string;
  kind: DeviceKind;
  /** As tables name it: "GPU 0", "mlx5_0". */
  short: string;
  /** What more is known: "NVIDIA H200", "ens1". */
  detail: string;
  /** The link that leads up to the bridge or processor above; null = it has none of its own. */
  up: LinkRate | null;
  /** What is wrong with that link, in words. */
  problem: string | null;
  /** What leads out of the machine; null = nothing does, or its rate is not known. */
  wire: LinkRate | null;
  children: TopologyDevice[];
}

/** A NUMA node with what hangs below it; `node` null = it is not told which. */
export interface NumaDomain {
  node: number | null;
  /** "0-47" */
  cpus: string | null;
  devices: TopologyDevice[];
}

/** All links of one kind beside PCIe that lead from a GPU to the same end; sumParallelLinks() makes them one. */
export interface PeerLink {
  from: string;
  /** Id of a GPU, "switch", "processor", or null: the source does not say. */
  to: string | null;
  /** "NVLink", "xGMI", "C2C"; a kind that is not known has the name that its source gives it. */
  kind: string;
  /** Number of links. */
  count: number;
  /** Rate of all `count` links together. */
  rate: LinkRate;
}

/** How one machine is connected. What is not known is null, never a default. */
export interface Topology {
  host: string;
  /** Where it is from: "sysfs and NVML", "NCCL, system.xml". */
  source: string;
  processor: string | null;
  sockets: number | null;
  domains: NumaDomain[];
  peers: PeerLink[];
  notes: string[];
}

/** Who stands where in what NCCL computed: ranks, or devices of one machine. */
export interface CommGraph {
  source: string;
  /** "ring", "tree" ... */
  pattern: string;
  /** What more is known: "through NVL, 20 GB/s per channel". */
  detail: string;
  channels: GraphChannel[];
}

export interface GraphChannel {
  /** The number of the channel. */
  channel: number;
  /** Members along a ring or chain, the first not repeated at its end; empty where there are edges. */
  order: string[];
  /** Whether the last member of `order` sends to the first. A ring through an adapter continues on another machine. */
  isClosed: boolean;
  /** Of a tree: child, parent. */
  edges: [child: string, parent: string][];
}

/** Every device of the tree, each before those below it. */
export function devicesOf({ domains }: Pick<Topology, 'domains'>): TopologyDevice[] {
  const all: TopologyDevice[] = [];
  const pending = domains.flatMap(({ devices }) => devices).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    all.push(next);
    pending.push(...[...next.children].reverse());
  }
  return all;
}

/** Something in a file that cannot be understood; the message says what was wanted. */
export class TopologyError extends Error {
  override name = 'TopologyError';
}
