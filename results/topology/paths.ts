import { type LinkRate, lowestRate, type PathCeiling } from './rates.ts';
import { devicesOf, type Topology, type TopologyDevice } from './types.ts';

/**
 * Connection of two devices of a machine. nvlink, xgmi: links between GPUs, or through a switch for such links. switch: a PCIe
 * bridge above both. processor: the processor of one NUMA node. nodes: the connection between two NUMA nodes. Null = not known.
 */
export type DeviceJoint = 'nvlink' | 'xgmi' | 'switch' | 'processor' | 'nodes' | null;

export interface DevicePath {
  a: TopologyDevice;
  b: TopologyDevice;
  joint: DeviceJoint;
  /** Rate of the slowest link on the path, in one direction. The rate between NUMA nodes is not known, so it is left out. */
  ceiling: PathCeiling;
}

interface TreeNode {
  device: TopologyDevice;
  /** Devices on the way from the top of the PCIe tree down to `device`, which is the last one. */
  chain: TopologyDevice[];
  node: number | null;
}

const ends = new Set<TopologyDevice['kind']>(['gpu', 'network', 'ntb', 'accelerator']);

/** Returns the devices at which data of a collective may start or end, such as GPUs and adapters. */
const endsOf = (topology: Pick<Topology, 'domains'>): TopologyDevice[] =>
  devicesOf(topology).filter(({ kind }) => ends.has(kind));

function placesOf({ domains }: Topology): Map<string, TreeNode> {
  const places = new Map<string, TreeNode>();
  for (const { node, devices } of domains) {
    const pending = devices.map((device): TreeNode => ({ device, chain: [device], node }));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { device, chain } = next;
      places.set(device.id, next);
      pending.push(...device.children.map((child) => ({ device: child, chain: [...chain, child], node })));
    }
  }
  return places;
}

/**
 * Returns the paths between all devices at which data may start or end: GPUs, network adapters, NTBs and accelerators. Each pair of
 * devices occurs once, in the order of the device tree. [] with fewer than two such devices.
 */
export function pathsOf(topology: Topology): DevicePath[] {
  const places = placesOf(topology);
  const all = endsOf(topology).flatMap(({ id }) => places.get(id) ?? []);
  return all.flatMap((a, at) =>
    all.slice(at + 1).map((b) => ({ a: a.device, b: b.device, ...between(a, b, topology) })),
  );
}

function between(a: TreeNode, b: TreeNode, topology: Topology): Pick<DevicePath, 'joint' | 'ceiling'> {
  const own = linksBetween(a.device.id, b.device.id, topology);
  if (own !== null) return own;
  // Links whose other end is unknown may connect the two devices.
  if (
    [a, b].every(({ device }) => topology.peers.some(({ from, to }) => from === device.id && to === null))
  ) {
    return { joint: null, ceiling: lowestRate([{ text: '', GBps: null }]) };
  }
  let shared = 0;
  while (a.chain[shared] !== undefined && a.chain[shared] === b.chain[shared]) shared += 1;
  const rates = [...a.chain.slice(shared), ...b.chain.slice(shared)].map(
    ({ up }): LinkRate => up ?? { text: '', GBps: null },
  );
  const ceiling = lowestRate(rates);
  if (shared > 0) return { joint: 'switch', ceiling };
  if (a.node === null || b.node === null) {
    return { joint: null, ceiling: { ...ceiling, isComplete: false } };
  }
  // Within a processor no link slower than PCIe is known. The link between NUMA nodes may be slower, and its rate is unknown.
  if (a.node === b.node) return { joint: 'processor', ceiling };
  return { joint: 'nodes', ceiling: { ...ceiling, isComplete: false } };
}

const linkJoints: Readonly<Record<string, DeviceJoint>> = { NVLink: 'nvlink', xGMI: 'xgmi' };

/**
 * Returns kind and rate of the NVLinks or xGMI links that join two GPUs directly or through a switch (then the lower of both
 * rates); null if there are none.
 * @param a id of one GPU
 * @param b id of the other GPU
 */
function linksBetween(
  a: string,
  b: string,
  { peers }: Topology,
): { joint: DeviceJoint; ceiling: PathCeiling } | null {
  const direct = peers.find(({ from, to }) => (from === a && to === b) || (from === b && to === a));
  const toSwitch = (id: string) => peers.find(({ from, to }) => from === id && to === 'switch');
  const links = direct === undefined ? [toSwitch(a), toSwitch(b)] : [direct];
  const known = links.filter((link) => link !== undefined);
  const [first] = known;
  if (first === undefined || known.length < links.length) return null;
  return { joint: linkJoints[first.kind] ?? null, ceiling: lowestRate(known.map(({ rate }) => rate)) };
}

/**
 * Returns the rate of all links of one GPU to other GPUs and switches together (NVLink or xGMI), in one direction. All GPUs must
 * have the same rate.
 * @returns null if the rates differ, if there is no GPU, a GPU has no such links, or a rate is unknown
 */
export function nvlinkCeiling({ peers, domains }: Topology): (LinkRate & { GBps: number }) | null {
  const gpus = devicesOf({ domains }).filter(({ kind }) => kind === 'gpu');
  const totals = gpus.map(({ id }) => {
    const mine = peers.filter(({ from, to }) => from === id && to !== 'processor');
    const known = mine.flatMap(({ rate }) => (rate.GBps === null ? [] : [rate.GBps]));
    const text = mine.map(({ rate }) => rate.text).join(' and ');
    return mine.length === 0 || known.length < mine.length
      ? null
      : { text, GBps: known.reduce((sum, GBps) => sum + GBps, 0) };
  });
  const [first] = totals;
  return first != null && totals.every((one) => one?.GBps === first.GBps) ? first : null;
}
