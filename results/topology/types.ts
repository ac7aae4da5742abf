import type { TopologyReport } from '../schema/index.ts';

/**
 * Devices of one machine and their connections, as the output of `collbench topo --json` has them. A value that is not known is
 * null; no usual value takes its place.
 */
export type Topology = Omit<TopologyReport['machines'][number], 'paths'>;

/** A NUMA node with the devices below it; `node` is its number, null if not known. */
export type NumaDomain = Topology['domains'][number];

/** A device of a machine, with the devices below it in the PCIe tree. */
export type TopologyDevice = NumaDomain['devices'][number];
export type DeviceKind = TopologyDevice['kind'];

/** Links of one kind other than PCIe, from a GPU to the same other end. */
export type PeerLink = Topology['peers'][number];

/**
 * A ring, tree or other graph that NCCL made. If it was read from a log, its members are ranks of a communicator; if it was read
 * from a graph file, they are devices of one machine, "GPU 0" or "NET 0".
 */
export type CommGraph = TopologyReport['graphs'][number];
export type GraphChannel = CommGraph['channels'][number];

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
