import { lookUp } from '../look-up.ts';
import { vendorNames } from '../machine/pci.ts';
import { nvlinkRate, pcieRate, speedIn, wireRate } from './rates.ts';
import type { Device, DeviceKind, Domain, PeerLink, Topology } from './types.ts';
import { TopologyError } from './types.ts';
import { decimalIn, type Element, readXml, wholeIn, withName } from './xml.ts';

/** NCCL gives sockets whose speed the kernel does not tell this many Mbit/s (its socket transport, getProperties). */
const socketDefaultMbps = 10_000;

const processors: Readonly<Record<string, string>> = {
  GenuineIntel: 'Intel',
  AuthenticAMD: 'AMD',
  CentaurHauls: 'Zhaoxin',
  '  Shanghai  ': 'Zhaoxin',
};

const named = (names: Readonly<Record<string, string>>, word: string): string => lookUp(names, word) ?? word;

/**
 * What NCCL writes to NCCL_TOPO_DUMP_FILE: `<system><cpu numaid><pci busid link_speed link_width>...<gpu dev sm><nvlink>`.
 * One topology per machine (`host_hash`), where ranks of several are in it.
 * @param name of the file, for `source`
 * @throws TopologyError no such file
 */
export function ncclSystem(text: string, name: string): Topology[] {
  const root = readXml(text);
  if (root.name !== 'system') {
    throw new TopologyError(`XML: the root is <${root.name}>, NCCL's topology has <system>`);
  }
  const hosts = new Map<string, Element[]>();
  for (const cpu of root.children.filter((child) => child.name === 'cpu')) {
    const hash = cpu.attributes.host_hash ?? '';
    hosts.set(hash, [...(hosts.get(hash) ?? []), cpu]);
  }
  if (hosts.size === 0) throw new TopologyError('XML: <system> has no <cpu>');
  return [...hosts.values()].map((cpus, at) =>
    ofHost(cpus, hosts.size === 1 ? 'machine' : `machine ${at}`, name),
  );
}

function ofHost(cpus: readonly Element[], host: string, name: string): Topology {
  const notes = new Set<string>();
  const domains = cpus.map((cpu): Domain => {
    const node = wholeIn(cpu.attributes.numaid);
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
    peers: cpus.flatMap((cpu) => peersOf(cpu)),
    notes: [...notes],
  };
}

const kinds: readonly [start: string, kind: DeviceKind][] = [
  ['0x03', 'gpu'],
  ['0x02', 'network'],
  ['0x0c06', 'network'],
  ['0x0680', 'ntb'],
  ['0x0604', 'bridge'],
  ['0x12', 'accelerator'],
];

/** A PCI device, with GPU and adapters inside it; or adapters right below the processor. */
function deviceOf(element: Element, notes: Set<string>): Device[] {
  if (element.name === 'nic') return element.children.flatMap((net) => adapterOf(net, null, notes));
  if (element.name !== 'pci') return [];
  const { attributes, children } = element;
  const id = attributes.busid ?? '';
  if (id === '') return [];
  const up = pcieRate(speedIn(attributes.link_speed ?? ''), wholeIn(attributes.link_width));
  const nets = children.filter((child) => child.name === 'nic').flatMap((nic) => nic.children);
  const below = children.filter((child) => child.name === 'pci').flatMap((child) => deviceOf(child, notes));
  const vendor = named(vendorNames, attributes.vendor ?? '');
  const place = { id, up, problem: null };
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
        children: below,
      },
    ];
  }
  const ports = nets.flatMap((net) => adapterOf(net, id, notes));
  const [port, ...more] = ports;
  if (port !== undefined && more.length === 0) return [{ ...port, ...place, children: below }];
  const kind = kinds.find(([start]) => attributes.class?.startsWith(start))?.[1] ?? 'other';
  const short = kind === 'bridge' ? 'bridge' : kind;
  return [{ ...place, kind, short, detail: vendor, wire: null, children: [...ports, ...below] }];
}

function adapterOf(net: Element, at: string | null, notes: Set<string>): Device[] {
  if (net.name !== 'net') return [];
  const { name = '?', dev = '?', gdr } = net.attributes;
  const Mbps = decimalIn(net.attributes.speed);
  const isDefault = Mbps === socketDefaultMbps && gdr !== '1';
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

/** PCI classes of what an NVLink leads to: a GPU by its address, a switch, a processor. */
function endOf({ target, tclass }: Element['attributes']): string | null {
  if (tclass?.startsWith('0x0680')) return 'switch';
  if (tclass?.startsWith('0x03')) return target ?? null;
  return tclass?.startsWith('0x06') ? 'processor' : null;
}

function peersOf(cpu: Element): PeerLink[] {
  return withName(cpu, 'pci').flatMap((pci) => {
    const from = pci.attributes.busid;
    if (from === undefined) return [];
    return pci.children
      .filter((child) => child.name === 'gpu')
      .flatMap((gpu) =>
        gpu.children.flatMap((link): PeerLink[] => {
          const count = wholeIn(link.attributes.count);
          if (count === null || count === 0) return [];
          if (link.name === 'nvlink') {
            return [
              { from, to: endOf(link.attributes), rate: nvlinkRate(count, wholeIn(gpu.attributes.sm)) },
            ];
          }
          if (link.name !== 'c2c') return [];
          const eachMBps = wholeIn(link.attributes.bw);
          const GBps = eachMBps === null || eachMBps === 0 ? null : (eachMBps * count) / 1000;
          return [{ from, to: 'processor', rate: { text: `${count} C2C`, GBps } }];
        }),
      );
  });
}
