import { z } from 'zod';

/** Ways on which data move without a network, with their words; `nothing`: the engine moves no data. */
const localPaths = {
  'process-memory': 'memory shared by processes',
  'shared-memory': 'shared memory',
  'gpu-stores': 'loads and stores of GPU kernels',
  nothing: 'moves nothing',
} as const;
const doorbellSides = { 'cpu-threads': 'CPU threads', 'gpu-kernels': 'GPU kernels' } as const;
const dmaKinds = { registered: 'registered-memory DMA', 'user-memory': 'user-memory DMA' } as const;

const namesOf = <K extends string>(table: Readonly<Record<K, string>>) =>
  z.enum(Object.keys(table) as [K, ...K[]]);

export const localPath = namesOf(localPaths);
export const doorbellSide = namesOf(doorbellSides);
export const dmaKind = namesOf(dmaKinds);

/** Facts that an agent reports about what moves the bytes of a transport. An absent field does not apply or is not known. */
export const reportedDetail = z.strictObject({
  /** Training framework with its version ("PyTorch 2.11.0"), and its communication library ("gloo"). */
  framework: z.string().optional(),
  backend: z.string().optional(),
  /** Communication library with its version ("NCCL 2.28.9"), and the transport that it was told to use ("p2p"). */
  library: z.string().optional(),
  libraryTransport: z.string().optional(),
  /** NCCL net plugin: its name, version of its interface, its file and its device. */
  netPlugin: z.string().optional(),
  netPluginVersion: z.int32().optional(),
  netPluginPath: z.string().optional(),
  netPluginDevice: z.string().optional(),
  /** Network interface that carries the bytes. */
  networkInterface: z.string().optional(),
  /** TCP connections per peer; absent = one. */
  streams: z.int32().optional(),
  /** Size of the kernel's buffers of a connection. */
  bufferBytes: z.int32().optional(),
  /** True if ranks are on several hosts and the user named no interface. */
  choseInterface: z.boolean().optional(),
  /** True if lo carries the bytes, because the peer is on this machine. */
  carriedByLoopback: z.boolean().optional(),
  localPath: localPath.optional(),
  /** Copies of a large message, and the shortest message that is copied only once. */
  copies: z.int32().optional(),
  singleCopyBytes: z.int32().optional(),
  /** Adapter ("SISCI 2.5", "mlx5_0"), path of its library, its number in the fabric. */
  adapter: z.string().optional(),
  adapterLibrary: z.string().optional(),
  node: z.int32().optional(),
  /** Software device in place of an adapter, and the link model that it follows ("pcie-gen3-x8", "none"). */
  softwareCard: z.enum(['softntb', 'softmlx5']).optional(),
  link: z.string().optional(),
  /** Kind of the adapter's queues ("rc", "dc"), and the side that rings its doorbells. */
  queue: z.string().optional(),
  doorbells: doorbellSide.optional(),
  dma: dmaKind.optional(),
  /** True if a fake of NCCL, NVSHMEM or CUDA moved the bytes in host memory, as in tests. */
  isFake: z.boolean().optional(),
  /** True if ranks that share a GPU take turns on it. */
  sharesGpu: z.boolean().optional(),
});

/** Facts about what moves the bytes of a transport, as plans and results store them. */
export const transportDetail = reportedDetail.extend({
  /** Number of hosts that TCP connects, each over its own route; absent if one interface is used. */
  hosts: z.int().optional(),
  /** Source of results that another program measured: its output file, or a recording of its calls. */
  origin: z.enum(['imported', 'recorded']).optional(),
});
export type TransportDetail = z.infer<typeof transportDetail>;

/** PCIe link that the software device models: 3 and 8 for "pcie-gen3-x8"; null for other links. */
export function pcieLinkOf({ link = '' }: TransportDetail): { generation: number; lanes: number } | null {
  const [, generation, lanes] = /^pcie-gen(\d)-x(\d+)$/.exec(link) ?? [];
  return generation === undefined ? null : { generation: Number(generation), lanes: Number(lanes) };
}

/** Returns the facts in words, one phrase each, by name of the field; without phrases of absent fields. */
function phrasesOf(detail: TransportDetail): { field: string; text: string }[] {
  const { library, libraryTransport, networkInterface, copies, singleCopyBytes = 0, adapter } = detail;
  const { netPlugin, doorbells, queue, hosts } = detail;
  const phrases = {
    framework: detail.framework,
    library: joined(library, libraryTransport),
    netPlugin: netPlugin && `ncclNet ${netPlugin} v${detail.netPluginVersion} from ${detail.netPluginPath}`,
    netPluginDevice:
      detail.netPluginDevice &&
      `device ${detail.netPluginDevice}${detail.softwareCard === undefined ? '' : ` over ${detail.softwareCard}`}`,
    hosts: hosts && `TCP between ${hosts} hosts`,
    networkInterface: networkInterface && `${detail.backend ?? 'TCP'} over ${networkInterface}`,
    streams: detail.streams && `${detail.streams} streams`,
    bufferBytes: detail.bufferBytes && `buffers of ${detail.bufferBytes} B`,
    choseInterface: detail.choseInterface && 'chosen: no interface was named',
    carriedByLoopback: detail.carriedByLoopback && 'carried by lo: the peer is on this machine',
    localPath: detail.localPath && localPaths[detail.localPath],
    copies:
      copies &&
      (copies > 1
        ? "two copies: ranks may not read each other's memory"
        : `one copy by process_vm_readv from ${singleCopyBytes / 1024} KiB on`),
    adapter: joined(adapter, detail.adapterLibrary && `(${detail.adapterLibrary})`),
    node: detail.node !== undefined && `node ${detail.node}`,
    softwareCard: detail.netPluginDevice === undefined && detail.softwareCard,
    link: detail.link && `link ${detail.link}`,
    queue: queue && `${queue} queues`,
    doorbells: doorbells && `doorbells rung by ${doorbellSides[doorbells]}`,
    dma: detail.dma && dmaKinds[detail.dma],
    isFake: detail.isFake && (library === undefined ? 'GPUs faked on host memory' : 'fake'),
    sharesGpu: detail.sharesGpu && 'ranks that share a GPU take turns on it',
    origin: detail.origin,
  };
  return Object.entries(phrases).flatMap(([field, text]) => (text ? [{ field, text: String(text) }] : []));
}

const joined = (...words: (string | undefined)[]): string =>
  words.filter((word) => word !== undefined).join(' ');

/** Returns the facts in words, one line: "TCP over lo, 4 streams", "softntb, link pcie-gen3-x8"; "" if there are none. */
export const detailText = (detail: TransportDetail): string =>
  phrasesOf(detail)
    .map(({ text }) => text)
    .join(', ');

/**
 * Returns the parts of a label that begins with the transport's name, without a library's repetition of that name. The first part
 * has device or library with its link or version: "softntb link none", "NCCL 2.28.9".
 * @param transport name of the transport, such as "p2p"
 */
export const detailParts = (detail: TransportDetail, transport: string): string[] =>
  labelPhrases(detail, transport)
    .map(labelText)
    .filter((part) => part !== '');

/** Returns the first of these parts, without the link of a software device that does not limit it. */
export function shortDetail(detail: TransportDetail, transport: string): string {
  const [first = []] = labelPhrases(detail, transport);
  const isFree = detail.link === 'none';
  return labelText(first.filter(({ field }) => !(isFree && field === 'link')));
}

/** Returns phrases as one part of a label, whose commas separate other things: a program and its library have a space. */
const labelText = (phrases: readonly { text: string }[]): string =>
  phrases.map(({ text }) => text.replaceAll(', ', ' ')).join(' ');

/** Returns the phrases of a label, those of each part together. */
function labelPhrases(detail: TransportDetail, transport: string) {
  const { framework, libraryTransport, ...others } = detail;
  if (framework === undefined && libraryTransport === transport) return [phrasesOf(others)];
  const [device, link, ...more] = phrasesOf(detail);
  const first = [device, link].filter((phrase) => phrase !== undefined);
  return [first, ...more.map((phrase) => [phrase])];
}
