import { sumParallelLinks } from './peer-links.ts';
import { wireRate } from './rates.ts';
import type { DeviceKind, NumaDomain, PeerLink, Topology, TopologyDevice } from './types.ts';

/**
 * A line of the topology tree that NCCL logs: its depth (number of blanks before it; -1 for a processor), the link that leads to a
 * device, and the device.
 */
interface TreeLine {
  depth: number;
  /** Link type "PCI", "NVL", "NET", "SYS" ..., with NCCL's estimate of the link's rate in GB/s. Null on the line of a processor. */
  link: { type: string; GBps: number } | null;
  type: string;
  id: string;
  /** Text in parentheses after the device; "" if there is none. */
  detail: string;
}

const begins = /^=== System : maxBw /;

/**
 * Collects the lines with which NCCL logs a machine's topology (NCCL_DEBUG_SUBSYS=GRAPH), from "=== System" to a line of equal
 * signs. Several ranks write into one log at the same time, so lines are separated by their prefix. All ranks of a host log the
 * same tree; the first complete one is used.
 */
export class SystemTreeReader {
  private readonly open = new Map<string, TreeLine[]>();
  private readonly complete = new Map<string, TreeLine[]>();

  /**
   * Reads a line of the log.
   * @param head text before " NCCL INFO ": "host:pid:thread [device]"
   * @param text text after " NCCL INFO "
   */
  take(head: string, text: string): void {
    const lines = this.open.get(head);
    if (begins.test(text)) this.open.set(head, []);
    else if (lines !== undefined && /^=+$/.test(text)) {
      const host = hostIn(head);
      if (!this.complete.has(host)) this.complete.set(host, lines);
      this.open.delete(head);
    } else if (lines !== undefined) {
      const line = treeLine(text);
      if (line !== null) lines.push(line);
    }
  }

  /**
   * Returns one topology per host; [] if no host logged a tree. If a host has no complete tree, the logged part is returned, with a
   * note.
   * @param source text for the field `source` of the topologies
   */
  topologies(source: string): Topology[] {
    const whole = [...this.complete].map(([host, lines]) => topologyOfTree(lines, host, source, true));
    const torn = [...this.open]
      .filter(([head, lines]) => lines.length > 0 && !this.complete.has(hostIn(head)))
      .map(([head, lines]) => topologyOfTree(lines, hostIn(head), source, false));
    return [...whole, ...torn.filter(({ host }, at) => torn.findIndex((one) => one.host === host) === at)];
  }
}

/**
 * Returns the host name in the prefix of a log line of NCCL: "gpu01" for "gpu01:4254:4327 [5]". Other text may precede it.
 * "machine" if the line has no such prefix.
 */
const hostIn = (head: string): string => /(\S+?):\d+:\d+ \[/.exec(head)?.[1] ?? 'machine';

function treeLine(text: string): TreeLine | null {
  const match =
    /^( *)(?:\+ ([A-Z0-9]+)\[([\d.]+)\] - )?([A-Z]+)\/((?:[0-9A-Fa-f]+-)*[0-9A-Fa-f]+)(?: \(([^)]*)\))? *$/.exec(
      text,
    );
  if (match === null) return null;
  const [, blanks = '', linkType, GBps, type = '', id = '', detail = ''] = match;
  const link = linkType === undefined ? null : { type: linkType, GBps: Number(GBps) };
  return { depth: link === null ? -1 : blanks.length, link, type, id, detail };
}

const kinds: Readonly<Record<string, DeviceKind>> = {
  GPU: 'gpu',
  NET: 'network',
  PCI: 'bridge',
  NIC: 'bridge',
};
const linkKinds: Readonly<Record<string, string>> = { NVL: 'NVLink', XGMI: 'xGMI', C2C: 'C2C' };

function topologyOfTree(
  lines: readonly TreeLine[],
  host: string,
  source: string,
  isComplete: boolean,
): Topology {
  const domains: NumaDomain[] = [];
  const peers: PeerLink[] = [];
  /** The nodes from the processor down to the current line. */
  const path: { depth: number; device: TopologyDevice | null; gpu: string | null }[] = [];
  for (const line of lines) {
    while (path.length > 0 && (path.at(-1)?.depth ?? 0) >= line.depth) path.pop();
    const above = path.at(-1);
    if (line.link === null) {
      domains.push({ node: nodeOf(line.id), cpus: null, devices: [] });
      path.push({ depth: line.depth, device: null, gpu: null });
      continue;
    }
    const domain = domains.at(-1);
    if (domain === undefined || line.link.type === 'SYS') continue;
    const kind = linkKinds[line.link.type];
    const gpu = above?.gpu ?? null;
    if (kind !== undefined) {
      if (gpu !== null) peers.push(peerOf(gpu, kind, line, line.link.GBps));
      continue;
    }
    // RCCL logs a PCI device and the GPU in it on separate lines.
    if (line.link.type === 'LOC' && above?.device != null && line.type === 'GPU') {
      Object.assign(above.device, { kind: 'gpu', short: `GPU ${above.device.id}`, detail: line.detail });
      above.gpu = above.device.id;
      continue;
    }
    const device = deviceOf(line, line.link.GBps);
    if (above?.device != null) above.device.children.push(device);
    else domain.devices.push(device);
    path.push({ depth: line.depth, device, gpu: line.type === 'GPU' ? device.id : null });
  }
  return {
    host,
    source,
    processor: null,
    sockets: null,
    domains,
    peers: sumParallelLinks(peers),
    notes: [
      'rates in the tree are what NCCL estimates, not what the links can carry',
      ...(isComplete ? [] : ["the log ends within NCCL's tree: devices are missing"]),
    ],
  };
}

/**
 * Parses the number of a NUMA node: "0-1" in a log of several machines (node 1 of machine 0), "1" in a log of one. Null for
 * "FFFFFFFFFFFFFFFF", which NCCL logs if the kernel reports no node.
 */
function nodeOf(id: string): number | null {
  const node = Number.parseInt(id.split('-').at(-1) ?? '', 16);
  return node < 4096 ? node : null;
}

/** Returns the PCI address encoded in NCCL's number, which has domain, bus, device and function in 16, 8, 8 and 4 bits. */
function addressOf(id: string): string {
  const number = BigInt(`0x${id.split('-').at(-1) ?? '0'}`);
  const part = (shift: bigint, digits: number): string =>
    ((number >> shift) & ((1n << BigInt(4 * digits)) - 1n)).toString(16).padStart(digits, '0');
  return `${part(20n, 4)}:${part(12n, 2)}:${part(4n, 2)}.${part(0n, 1)}`;
}

function deviceOf({ type, id, detail }: TreeLine, GBps: number): TopologyDevice {
  const isNet = type === 'NET';
  const number = id.split('-').at(-1) ?? id;
  const portGBps = isNet ? Number(detail.split('/').at(-1)) : Number.NaN;
  return {
    id: isNet ? `net NET ${number}` : addressOf(id),
    kind: kinds[type] ?? 'other',
    short: isNet ? `NET ${number}` : type === 'GPU' ? `GPU ${addressOf(id)}` : type.toLowerCase(),
    detail: type === 'GPU' && detail !== '' ? `rank ${detail}` : '',
    up: isNet ? null : { text: `PCIe (NCCL estimates ${GBps} GB/s)`, GBps: null },
    problem: null,
    wire: wireRate(Number.isFinite(portGBps) ? portGBps * 8000 : null),
    children: [],
  };
}

function peerOf(from: string, kind: string, { type, id }: TreeLine, GBps: number): PeerLink {
  const to = type === 'NVS' ? 'switch' : type === 'CPU' ? 'processor' : addressOf(id);
  return { from, to, kind, count: 1, rate: { text: `${kind} (NCCL estimates ${GBps} GB/s)`, GBps: null } };
}
