import { vendorNames } from '../machine/pci.ts';
import { sumParallelLinks } from './peer-links.ts';
import { type LinkRate, nvlinkRateOfMBps, pcieRate, speedOfGeneration, wireRate } from './rates.ts';
import type { MachineParts } from './stored.ts';
import type { NumaDomain, PeerLink, Topology, TopologyDevice } from './types.ts';

type TopologyPci = MachineParts['pci'][number];
type TopologyGpu = NonNullable<MachineParts['gpus']>[number];

/**
 * Returns the topology of a machine: the PCIe tree that its kernel shows, NVML's data about the GPUs, and the network ports. `host`
 * becomes the topology's host name. Values that are missing in `machine` are null.
 */
export function topologyOf(machine: MachineParts, host: string): Topology {
  const gpus = machine.gpus ?? [];
  const devices = new Map(machine.pci.map((pci) => [pci.address, deviceOf(pci, machine)]));
  const roots: { device: TopologyDevice; node: number | null }[] = [];
  for (const pci of machine.pci) {
    const device = devices.get(pci.address);
    if (device === undefined) continue;
    const above = [...pci.bridges]
      .reverse()
      .find((address) => address !== pci.address && devices.has(address));
    const parent = above === undefined ? undefined : devices.get(above);
    if (parent === undefined || isBelow(parent, device)) roots.push({ device, node: pci.numaNode });
    else parent.children.push(device);
  }
  const placed = new Set(machine.pci.map(({ address }) => address));
  for (const device of adaptersWithoutPlace(machine, placed)) roots.push({ device, node: null });
  const notes = [
    ...(gpus.length === 0 && machine.pci.some(({ kind }) => kind === 'gpu')
      ? [
          `NVML reports nothing about the GPUs${machine.nvmlMissing === null ? '' : `: ${machine.nvmlMissing}`}`,
        ]
      : []),
  ];
  return {
    host,
    source: gpus.length > 0 ? 'sysfs and NVML' : 'sysfs',
    processor: machine.cpu.model,
    sockets: machine.cpu.sockets,
    domains: domainsOf(roots, machine),
    peers: sumParallelLinks(gpus.flatMap((gpu) => peersOf(gpu, gpus))),
    notes,
  };
}

/**
 * True if `device` equals `above`, or is below it in the tree. The test avoids circles, which bridges that name each other as
 * parents would form.
 */
function isBelow(device: TopologyDevice, above: TopologyDevice): boolean {
  return device === above || above.children.some((child) => isBelow(device, child));
}

function domainsOf(
  roots: readonly { device: TopologyDevice; node: number | null }[],
  { numa, memory }: MachineParts,
): NumaDomain[] {
  const known = new Set(numa.map(({ node }) => node));
  const named = roots.flatMap(({ node }) => (node === null || known.has(node) ? [] : [node]));
  const only =
    memory.numaNodes === 1 && known.size + new Set(named).size <= 1 ? ([...known, ...named][0] ?? 0) : null;
  // If the machine has only one NUMA node, all devices belong to it, although firmware often does not report this.
  const nodeOf = (node: number | null): number | null => node ?? only;
  const nodes = [...new Set([...known, ...roots.map(({ node }) => nodeOf(node))])].sort(
    (a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY),
  );
  return nodes.map((node) => ({
    node,
    cpus: numa.find((one) => one.node === node)?.cpus ?? null,
    devices: roots.filter((root) => nodeOf(root.node) === node).map(({ device }) => device),
  }));
}

function deviceOf(pci: TopologyPci, machine: MachineParts): TopologyDevice {
  const { address: id, kind, vendor, link } = pci;
  const gpuAt = machine.gpus?.findIndex((gpu) => gpu.pci === id) ?? -1;
  const gpu = machine.gpus?.[gpuAt];
  const maker = (Object.hasOwn(vendorNames, vendor) ? vendorNames[vendor] : undefined) ?? vendor;
  const shared = { id, kind, problem: problemOf(link), children: [] as TopologyDevice[] };
  if (gpu !== undefined) {
    return { ...shared, short: `GPU ${gpuAt}`, detail: gpu.name, up: gpuLink(gpu, link), wire: null };
  }
  const up = link.maxSpeedGTs === null && link.width === null ? null : slot(link);
  if (kind === 'network') {
    const { names, wire } = adapterAt(id, machine);
    return {
      ...shared,
      short: names[0] ?? 'adapter',
      detail: [...names.slice(1), maker].join(', '),
      up,
      wire,
    };
  }
  const shorts: Record<string, string> = {
    gpu: 'GPU',
    ntb: 'NTB',
    accelerator: 'accelerator',
    bridge: 'bridge',
  };
  return { ...shared, short: shorts[kind] ?? 'device', detail: maker, up, wire: null };
}

/**
 * Returns the full rate of a device's PCIe link; its `GBps` is null if speed or width is unknown. An idle link reduces its speed to
 * that of the first generation and recovers under load, so the highest speed is used. Lanes that are missing do not come back, so
 * the present width is used.
 */
const slot = ({ maxSpeedGTs, speedGTs, width }: TopologyPci['link']): LinkRate =>
  pcieRate(maxSpeedGTs ?? speedGTs, width);

/**
 * Returns the rate of a GPU's PCIe link: from the kernel's PCIe tree, or from NVML if the tree has none, as in virtual machines.
 * `GBps` is null if neither has one.
 */
function gpuLink(gpu: TopologyGpu, link: TopologyPci['link']): LinkRate {
  const seen = slot(link);
  if (seen.GBps !== null) return seen;
  const speed = gpu.linkGenerationMax === null ? null : speedOfGeneration(gpu.linkGenerationMax);
  return pcieRate(speed, gpu.linkWidth ?? gpu.linkWidthMax);
}

const problemOf = ({ width, maxWidth }: TopologyPci['link']): string | null =>
  width !== null && maxWidth !== null && width < maxWidth ? `has x${width} of x${maxWidth}` : null;

/**
 * Returns names and port rate of the adapter at a PCI address. The rate is the highest of its interfaces and active RDMA ports,
 * null if none is known. Names of RDMA devices come before those of interfaces, because NCCL uses them.
 */
function adapterAt(
  address: string,
  { rdma, network }: MachineParts,
): { names: string[]; wire: LinkRate | null } {
  const ports = rdma.filter((port) => port.pci === address);
  const interfaces = network.interfaces.filter(({ pci }) => pci === address);
  const names = [...ports.map(({ device }) => device), ...interfaces.map(({ name }) => name)];
  const Mbps = Math.max(
    ...ports.filter(({ isActive }) => isActive).map(({ rateGbps }) => (rateGbps ?? 0) * 1000),
    ...interfaces.map(({ speedMbps }) => speedMbps ?? 0),
    0,
  );
  return { names: [...new Set(names)], wire: wireRate(Mbps) };
}

/**
 * Returns the network interfaces whose card is not in the PCIe tree. Loopback and virtual interfaces are left out, because they
 * have no card.
 * @param placed PCI addresses of the devices in the tree
 */
function adaptersWithoutPlace(machine: MachineParts, placed: ReadonlySet<string>): TopologyDevice[] {
  return machine.network.interfaces
    .filter(({ pci, isLoopback }) => pci !== null && !placed.has(pci) && !isLoopback)
    .map(({ name, pci, speedMbps }) => ({
      id: `net ${name}`,
      kind: 'network',
      short: name,
      detail: pci ?? '',
      up: null,
      problem: null,
      wire: wireRate(speedMbps),
      children: [],
    }));
}

function peersOf(gpu: TopologyGpu, all: readonly TopologyGpu[]): PeerLink[] {
  if (gpu.nvlinks == null || gpu.nvlinks === 0) return [];
  const ends = Object.entries(gpu.nvlinkEnds ?? {});
  if (ends.length > 0) {
    return ends.map(([end, count]) =>
      linkOf(gpu, end === 'switch' || all.some(({ pci }) => pci === end) ? end : null, count),
    );
  }
  return [linkOf(gpu, null, gpu.nvlinks)];
}

const linkOf = (gpu: TopologyGpu, to: string | null, count: number): PeerLink => ({
  from: gpu.pci,
  to,
  kind: 'NVLink',
  count,
  rate: nvlinkRateOfMBps(count, gpu.nvlinkMBps ?? null),
});
