import { addTo, lookUp } from '../collections.ts';
import { vendorNames } from '../machine/pci.ts';
import { sumParallelLinks } from './peer-links.ts';
import {
  type LinkRate,
  linksRate,
  maxPortMbps,
  nvlinkRate,
  parseTransferRate,
  pcieRate,
  wireRate,
  xgmiRate,
} from './rates.ts';
import type { DeviceKind, NumaDomain, PeerLink, Topology, TopologyDevice } from './types.ts';
import { TopologyError } from './types.ts';
import { parseDecimal, parseNatural, readXml, withName, type XmlElement } from './xml.ts';

/**
 * Speed in Mbit/s that NCCL assumes for an interface whose speed the kernel does not report (getProperties of its socket
 * transport).
 */
const socketDefaultMbps = 10_000;

const processors: Readonly<Record<string, string>> = {
  GenuineIntel: 'Intel',
  AuthenticAMD: 'AMD',
  CentaurHauls: 'Zhaoxin',
  '  Shanghai  ': 'Zhaoxin',
};

const named = (names: Readonly<Record<string, string>>, word: string): string => lookUp(names, word) ?? word;

/**
 * Parses the file of NCCL_TOPO_DUMP_FILE: `<system><cpu numaid><pci busid link_speed link_width>...<gpu dev sm><nvlink>`. Returns
 * one topology per machine (`host_hash`), since the file may have ranks of several machines. The host is called "machine", with
 * several machines "machine 0", "machine 1", ...
 * @param name name of the file, for the topologies' `source`
 * @throws TopologyError if the file has another form
 */
export function ncclSystem(text: string, name: string): Topology[] {
  const root = readXml(text);
  if (root.name !== 'system') {
    throw new TopologyError(`XML: the root is <${root.name}>, NCCL's topology has <system>`);
  }
  const hosts = new Map<string, XmlElement[]>();
  for (const cpu of root.children.filter((child) => child.name === 'cpu')) {
    const hash = cpu.attributes.host_hash ?? '';
    addTo(hosts, hash, cpu);
  }
  if (hosts.size === 0) throw new TopologyError('XML: <system> has no <cpu>');
  return [...hosts.values()].map((cpus, at) =>
    ofHost(cpus, hosts.size === 1 ? 'machine' : `machine ${at}`, name),
  );
}

function ofHost(cpus: readonly XmlElement[], host: string, name: string): Topology {
  const notes = new Set<string>();
  const domains = cpus.map((cpu): NumaDomain => {
    const node = parseNatural(cpu.attributes.numaid);
    return { node, cpus: null, devices: cpu.children.flatMap((child) => deviceOf(child, notes)) };
  });
  const vendors = new Set(cpus.flatMap(({ attributes }) => attributes.vendor ?? []));
  const architectures = new Set(cpus.flatMap(({ attributes }) => attributes.arch ?? []));
  const words = [...vendors].map((vendor) => named(processors, vendor));
  return {
    host,
    source: `NCCL, ${name}`,
    processor: [...words, ...architectures].join(' ') || null,
    sockets: null,
    domains,
    peers: sumParallelLinks(cpus.flatMap((cpu) => peersOf(cpu, notes))),
    notes: [...notes, ...unreadNotes(cpus)],
  };
}

/**
 * Names of the XML elements that are parsed, with the names of the children that each may have. Links below a GPU are parsed
 * whatever their name.
 */
const readElements: Readonly<Record<string, readonly string[]>> = {
  cpu: ['pci', 'nic'],
  pci: ['pci', 'gpu', 'nic'],
  nic: ['net'],
};

/**
 * Returns notes about XML elements that were ignored. Readers need them, because statements such as "highest rate" depend on the
 * whole file.
 */
function unreadNotes(cpus: readonly XmlElement[]): string[] {
  const counts = new Map<string, number>();
  const pending = [...cpus];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const known = lookUp(readElements, next.name);
    if (known === undefined) continue;
    for (const child of next.children) {
      if (known.includes(child.name)) pending.push(child);
      else counts.set(child.name, (counts.get(child.name) ?? 0) + 1);
    }
  }
  return [...counts].map(
    ([name, count]) =>
      `<${name}> is not read (${count === 1 ? 'once' : `${count} times`} in the file): a path through it may be faster than listed`,
  );
}

const kinds: readonly [start: string, kind: DeviceKind][] = [
  ['0x03', 'gpu'],
  ['0x02', 'network'],
  ['0x0c06', 'network'],
  ['0x0680', 'ntb'],
  ['0x0604', 'bridge'],
  ['0x12', 'accelerator'],
];

/**
 * Returns the devices that an XML element of NCCL describes: a PCI device with the GPU and adapters in it, or adapters directly
 * below the processor. PCI devices without an address are left out.
 * @param notes receives sentences for readers about values that cannot be used
 */
function deviceOf(element: XmlElement, notes: Set<string>): TopologyDevice[] {
  if (element.name === 'nic') return element.children.flatMap((net) => adapterOf(net, null, notes));
  if (element.name !== 'pci') return [];
  const { attributes, children } = element;
  const id = attributes.busid ?? '';
  if (id === '') return [];
  const up = pcieRate(parseTransferRate(attributes.link_speed ?? ''), parseNatural(attributes.link_width));
  const nets = children.filter((child) => child.name === 'nic').flatMap((nic) => nic.children);
  const below = children.filter((child) => child.name === 'pci').flatMap((child) => deviceOf(child, notes));
  const vendor = named(vendorNames, attributes.vendor ?? '');
  const place = { id, up, problem: null };
  const ports = nets.flatMap((net) => adapterOf(net, id, notes));
  const gpu = children.find((child) => child.name === 'gpu');
  if (gpu !== undefined) {
    const { dev = '?', sm, rank } = gpu.attributes;
    const details = [
      vendor,
      ...(sm === undefined ? [] : [`sm ${sm}`]),
      ...(rank === undefined ? [] : [`rank ${rank}`]),
    ];
    return [
      {
        ...place,
        kind: 'gpu',
        short: `GPU ${dev}`,
        detail: details.filter((word) => word !== '').join(', '),
        wire: null,
        children: [...ports, ...below],
      },
    ];
  }
  const [port, ...more] = ports;
  if (port !== undefined && more.length === 0) return [{ ...port, ...place, children: below }];
  const kind = kinds.find(([start]) => attributes.class?.startsWith(start))?.[1] ?? 'other';
  const short = kind === 'bridge' ? 'bridge' : kind;
  return [{ ...place, kind, short, detail: vendor, wire: null, children: [...ports, ...below] }];
}

function adapterOf(net: XmlElement, at: string | null, notes: Set<string>): TopologyDevice[] {
  if (net.name !== 'net') return [];
  const { name = '?', dev = '?', gdr } = net.attributes;
  const Mbps = parseDecimal(net.attributes.speed);
  const isDefault = Mbps === socketDefaultMbps && gdr !== '1';
  if (Mbps !== null && Mbps > maxPortMbps) {
    notes.add(`${name}: no port has ${Mbps / 1000} Gbit/s, the file has another unit: taken as unknown`);
  }
  if (isDefault) {
    notes.add(
      'NCCL writes 10 Gbit/s also where it does not know the speed of an adapter: taken as not known',
    );
  }
  return [
    {
      id: at === null ? `net ${name}` : `${at} net ${name}`,
      kind: 'network',
      short: name,
      detail: [`NET ${dev}`, ...(gdr === '1' ? ['GPUDirect RDMA'] : [])].join(', '),
      up: null,
      problem: null,
      wire: wireRate(isDefault ? null : Mbps),
      children: [],
    },
  ];
}

/**
 * Returns the other end of a link, from its PCI class: "switch", "processor", or the address of a GPU (3D controller, display
 * controller, accelerator). Null if the class is missing or another one, or if a GPU has no address.
 */
function endOf({ target, tclass }: XmlElement['attributes']): string | null {
  if (tclass?.startsWith('0x0680')) return 'switch';
  if (/^0x(03|1[23])/.test(tclass ?? '')) return target ?? null;
  return tclass?.startsWith('0x06') ? 'processor' : null;
}

function peersOf(cpu: XmlElement, notes: Set<string>): PeerLink[] {
  return withName(cpu, 'pci').flatMap((pci) => {
    const from = pci.attributes.busid;
    if (from === undefined) return [];
    return pci.children
      .filter((child) => child.name === 'gpu')
      .flatMap((gpu) =>
        gpu.children.flatMap((link) => {
          const peer = peerOf(link, from, gpu);
          if (peer?.to !== from) return peer ?? [];
          notes.add(
            `GPU ${gpu.attributes.dev ?? from}: the file has ${peer.rate.text} to the GPU itself, which are left out`,
          );
          return [];
        }),
      );
  });
}

const linkKinds: Readonly<Record<string, string>> = { nvlink: 'NVLink', xgmi: 'xGMI', c2c: 'C2C' };

/**
 * Returns the link that an element below a GPU describes; null if its number of links is 0 or, for a known kind of link, missing.
 * Unknown elements count as links, because they probably are new kinds of links.
 * @param from PCI address of the GPU
 */
function peerOf(link: XmlElement, from: string, gpu: XmlElement): PeerLink | null {
  const count = parseNatural(link.attributes.count) ?? (link.name in linkKinds ? 0 : 1);
  if (count === 0) return null;
  const kind = lookUp(linkKinds, link.name) ?? link.name;
  const to = link.name === 'c2c' ? 'processor' : endOf(link.attributes);
  return { from, to, kind, count, rate: rateOf(link, count, kind, gpu) };
}

function rateOf({ name, attributes }: XmlElement, count: number, kind: string, gpu: XmlElement): LinkRate {
  if (name === 'nvlink') return nvlinkRate(count, parseNatural(gpu.attributes.sm));
  if (name === 'xgmi') return xgmiRate(count, gpu.attributes.gcn);
  const eachMBps = name === 'c2c' ? parseNatural(attributes.bw) : null;
  return linksRate(count, kind, eachMBps === null || eachMBps === 0 ? undefined : eachMBps / 1000);
}
