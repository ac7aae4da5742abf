import type { SmiMatrix } from './smi.ts';
import { devicesOf, type PeerLink, type Topology, type TopologyDevice } from './types.ts';
import { parseNatural } from './xml.ts';

/** Host name of a machine whose source does not name its host, such as the XML that NCCL writes. */
const unnamed = 'machine';

/**
 * Joins hardware topologies from several sources to one per machine, in the order of the machines' first sources. The first source
 * of a machine gives its device tree; the others add values that are missing in it. Contradictory link rates are listed in `notes`.
 * The results are copies.
 */
export function joinTopologies(all: readonly Topology[]): Topology[] {
  const machines: Topology[] = [];
  for (const one of all) {
    const same = machines.find((machine) => isSame(machine, one));
    if (same === undefined) machines.push(structuredClone(one));
    else fill(same, one);
  }
  return machines;
}

/**
 * True if both topologies describe the same machine: equal host names or, if a source names no host, if all GPU addresses of `b`
 * are among those of `a` and both have GPUs.
 */
function isSame(a: Topology, b: Topology): boolean {
  if (a.host !== unnamed && b.host !== unnamed) return a.host === b.host;
  const gpus = ({ domains }: Topology) =>
    devicesOf({ domains }).flatMap(({ kind, id }) => (kind === 'gpu' ? [id] : []));
  const [mine, theirs] = [gpus(a), gpus(b)];
  return mine.length > 0 && theirs.length > 0 && theirs.every((id) => mine.includes(id));
}

function fill(machine: Topology, more: Topology): void {
  if (machine.host === unnamed) machine.host = more.host;
  machine.source += `; ${more.source}`;
  machine.processor ??= more.processor;
  machine.sockets ??= more.sockets;
  const known = new Map(devicesOf(machine).map((device) => [device.id, device]));
  const named = new Map(
    devicesOf(machine).flatMap((device) =>
      [device.short, ...words(device.detail)].map((word) => [word, device]),
    ),
  );
  for (const device of devicesOf(more)) {
    const same = known.get(device.id) ?? (device.kind === 'network' ? named.get(device.short) : undefined);
    if (same === undefined) continue;
    if (same.up?.GBps == null) same.up = device.up ?? same.up;
    else contradict(machine, same, device);
    same.wire ??= device.wire;
    const added = words(device.detail).filter((word) => word !== '' && !same.detail.includes(word));
    same.detail = [same.detail, ...added].filter((text) => text !== '').join(', ');
  }
  addPeers(machine, more.peers);
  machine.notes = [...new Set([...machine.notes, ...more.notes])];
}

const words = (detail: string): string[] => detail.split(', ');

function contradict(machine: Topology, mine: TopologyDevice, theirs: TopologyDevice): void {
  if (theirs.up?.GBps == null || mine.up === null || theirs.up.GBps === mine.up.GBps) return;
  machine.notes.push(`${mine.short}: ${mine.up.text} in one source, ${theirs.up.text} in another`);
}

/**
 * Adds the NVLinks, xGMI or C2C links that a further source reports. A GPU that has links keeps them, unless it is not known where
 * they lead: then the links of the further source replace them. If that source has a single link of equal rate, only its other end
 * is taken over.
 */
function addPeers(machine: Topology, more: readonly PeerLink[]): void {
  const froms = new Set(more.map(({ from }) => from));
  for (const from of froms) {
    const mine = machine.peers.filter((peer) => peer.from === from);
    const theirs = more.filter((peer) => peer.from === from);
    const isVague = mine.length === 1 && mine[0]?.to === null;
    const [told] = theirs;
    if (mine.length === 0) machine.peers.push(...theirs);
    else if (isVague && theirs.length === 1 && told?.rate.text === mine[0]?.rate.text) {
      (mine[0] as PeerLink).to = told?.to ?? null;
    } else if (isVague) {
      machine.peers = machine.peers.filter((peer) => peer.from !== from).concat(theirs);
    }
  }
}

/**
 * Compares the table of `nvidia-smi topo -m` with a machine's topology: NVLinks that only one of them has, and different numbers of
 * links.
 * @returns one sentence for each difference; empty if there is none, or if nothing can be compared
 */
export function disagreements({ peers, domains }: Topology, { names, cells }: SmiMatrix): string[] {
  const gpus = devicesOf({ domains }).filter(({ kind }) => kind === 'gpu');
  const sorted = [...gpus].sort((a, b) => (a.id < b.id ? -1 : 1));
  return names.flatMap((name, row) => {
    const at = parseNatural(/^GPU(\d+)$/.exec(name)?.[1]);
    const gpu = at === null ? undefined : (gpus.find(({ short }) => short === `GPU ${at}`) ?? sorted[at]);
    if (gpu === undefined) return [];
    const counts = (cells[row] ?? []).map((joint) => Number(/^NV(\d+)$/.exec(joint ?? '')?.[1] ?? 0));
    const most = Math.max(0, ...counts);
    const mine = peers.filter(({ from, to }) => from === gpu.id && to !== 'processor');
    const told = mine.reduce((sum, { kind, count }) => sum + (kind === 'NVLink' ? count : 0), 0);
    const sum = counts.reduce((a, b) => a + b, 0);
    // In the table, GPUs behind a switch have all their links in every pair; without a switch the links are divided among the
    // pairs.
    if (mine.length === 0 ? most === 0 : told === most || told === sum) return [];
    return [`${gpu.short} has ${told} NVLinks in one source, ${most} in nvidia-smi's table`];
  });
}
