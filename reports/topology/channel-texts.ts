import { addTo } from '../../results/collections.ts';
import type {
  CommGraph,
  DeviceJoint,
  LinkRate,
  PeerLink,
  Topology,
  TopologyDevice,
} from '../../results/topology/index.ts';
import { formatBandwidth, plural } from '../wording.ts';

/** Returns the description and rate of a link: "PCIe gen 5 x16, 63.0 GB/s". "rate not known" replaces an unknown rate. */
export const rateText = ({ text, GBps }: LinkRate): string =>
  `${text}, ${GBps === null ? 'rate not known' : formatBandwidth(GBps)}`;

/** Returns a NUMA node with its CPUs: "NUMA node 0, CPUs 0-47". "place unknown" for devices whose node is unknown. */
export function domainText({ node, cpus }: Topology['domains'][number]): string {
  if (node === null) return 'place unknown';
  return `NUMA node ${node}${cpus === null ? '' : `, CPUs ${cpus}`}`;
}

/** Returns a device with its model: "GPU 0, NVIDIA H200"; its short name alone if the model is unknown. */
export const deviceText = ({ short, detail }: TopologyDevice): string =>
  detail === '' ? short : `${short}, ${detail}`;

export const jointTexts: Record<Exclude<DeviceJoint, null>, string> = {
  nvlink: 'NVLink',
  xgmi: 'xGMI',
  switch: 'bridge',
  processor: 'CPU',
  nodes: 'nodes',
};

/** Explanation of the words in a table that name the kind of connection between two devices. */
export const jointLegend =
  'NVLink, xGMI: links between GPUs; bridge: below one PCIe bridge or switch; CPU: through the processor of one NUMA node; nodes: from one NUMA node to another; ?: unknown';

/**
 * Returns the hardware of a host: "AMD EPYC 9454, 2 sockets, 2 NUMA nodes; from sysfs and NVML". Facts that are unknown are left
 * out.
 */
export function machineText({ processor, sockets, domains, source }: Topology): string {
  const nodes = domains.filter(({ node }) => node !== null).length;
  const parts = [
    ...(processor === null ? [] : [processor]),
    ...(sockets === null ? [] : [plural(sockets, 'socket')]),
    ...(nodes === 0 ? [] : [plural(nodes, 'NUMA node')]),
  ];
  return [parts.join(', '), `from ${source}`].filter((text) => text !== '').join('; ');
}

/**
 * Returns the rate of one of a GPU's links, and the device, switch or processor at its other end; "target unknown" if that is not
 * known.
 * @param nameOf returns the name of a device by its id
 */
function peerText({ to, rate }: PeerLink, nameOf: (id: string) => string): string {
  const ends: Record<string, string> = { switch: 'to a switch', processor: 'to the processor' };
  const where = to === null ? 'target unknown' : (ends[to] ?? `to ${nameOf(to)}`);
  return `${rateText(rate)}, ${where}`;
}

/**
 * Describes the links of GPUs. Returns pairs: the names of all GPUs that report such a link, and the description of the link. A
 * link that two GPUs report is listed only for the first of them.
 * @param nameOf returns the name of a device by its id
 */
export function peerLines(peers: readonly PeerLink[], nameOf: (id: string) => string): [string[], string][] {
  const lines = new Map<string, string[]>();
  const told = new Set<string>();
  for (const peer of peers) {
    // Both GPUs report the link between them; the second report is skipped.
    const pair = [peer.from, peer.to ?? ''].sort().join(' ');
    const isPair = peer.to !== null && peer.to !== 'switch' && peer.to !== 'processor';
    if (isPair && told.has(pair)) continue;
    told.add(pair);
    const text = peerText(peer, nameOf);
    addTo(lines, text, nameOf(peer.from));
  }
  return [...lines].map(([text, names]) => [names, text]);
}

export interface AlikeChannels extends Omit<CommGraph['channels'][number], 'channel'> {
  channels: number[];
}

/** Returns the members of a ring or chain of ranks in order. A closed ring repeats its first member at the end. */
export const listedOrder = ({ order, isClosed }: Pick<AlikeChannels, 'order' | 'isClosed'>): string[] =>
  isClosed ? [...order, order[0] ?? ''] : order;

/**
 * Merges NCCL channels (rings or chains of ranks) that have equal paths, in order of first occurrence. Two rings are equal if they
 * differ only in the rank with which they start.
 */
export function groupAlikeChannels({ channels }: CommGraph): AlikeChannels[] {
  const groups = new Map<string, AlikeChannels>();
  for (const { channel, order, isClosed, edges } of channels) {
    const key = JSON.stringify([isClosed, isClosed ? rotatedRing(order) : order, edges]);
    const group = groups.get(key) ?? { channels: [], order, isClosed, edges };
    group.channels.push(channel);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Returns the same ring, listed from the member that is first in alphabetical order, so that equal rings have equal lists. */
function rotatedRing(order: readonly string[]): string[] {
  const least = [...order].sort()[0];
  const at = least === undefined ? 0 : order.indexOf(least);
  return [...order.slice(at), ...order.slice(0, at)];
}
