import { z } from 'zod';

/** Ways by which data move without a network, each with its text for readers. `nothing`: the engine moves no data. */
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

/**
 * Facts that an agent reports about the software and hardware that move the bytes of a transport. An absent field does not apply,
 * or is not known.
 */
export const reportedDetail = z.strictObject({
  /**
   * Training framework with its version ("PyTorch 2.11.0"). `backend`: its communication library ("gloo"). Absent = no framework
   * is used.
   */
  framework: z.string().optional(),
  backend: z.string().optional(),
  /**
   * Communication library with its version ("NCCL 2.28.9"). `libraryTransport`: the transport that the library was told to use
   * ("p2p"). Absent = none, or not known.
   */
  library: z.string().optional(),
  libraryTransport: z.string().optional(),
  /**
   * Name of the NCCL net plugin; absent = none. The next three fields are the version of its interface, the path of its file, and
   * the device that it uses.
   */
  netPlugin: z.string().optional(),
  netPluginVersion: z.int32().optional(),
  netPluginPath: z.string().optional(),
  netPluginDevice: z.string().optional(),
  /** Network interface that carries the bytes: "eth0". Absent = none does, or it is not known. */
  networkInterface: z.string().optional(),
  /** Number of TCP connections to each peer; absent = one. */
  streams: z.int32().optional(),
  /** Size of the kernel's send and receive buffer of each TCP connection, bytes; absent = the kernel chooses. */
  bufferBytes: z.int32().optional(),
  /** True if collbench chose the network interface, because ranks are on several hosts and the user named none. Absent = false. */
  choseInterface: z.boolean().optional(),
  /**
   * True if the loopback interface lo carries the bytes although `networkInterface` is another one, because the peer is on the
   * same machine. Absent = false.
   */
  carriedByLoopback: z.boolean().optional(),
  localPath: localPath.optional(),
  /**
   * Number of times that the bytes of a large message between processes of one machine are copied. `singleCopyBytes`: length in
   * bytes from which a message counts as large; present only if `copies` is 1.
   */
  copies: z.int32().optional(),
  singleCopyBytes: z.int32().optional(),
  /**
   * Name of the adapter ("SISCI 2.5", "mlx5_0"); absent = none. `adapterLibrary`: path of its library. `node`: its number in the
   * fabric.
   */
  adapter: z.string().optional(),
  adapterLibrary: z.string().optional(),
  node: z.int32().optional(),
  /**
   * Software device that takes the place of an adapter; absent = none. `link`: link model (latency and bandwidth) that the device
   * imitates ("pcie-gen3-x8"; "none" = no limits).
   */
  softwareCard: z.enum(['softntb', 'softmlx5']).optional(),
  link: z.string().optional(),
  /**
   * Kind of the adapter's queues ("rc", "dc"). `doorbells`: the side that rings the doorbells of these queues. Absent = the
   * transport has no such queues.
   */
  queue: z.string().optional(),
  doorbells: doorbellSide.optional(),
  dma: dmaKind.optional(),
  /** True if a fake of NCCL, NVSHMEM or CUDA moved the bytes in host memory, which occurs in tests. Absent = false. */
  isFake: z.boolean().optional(),
  /** True if several ranks share a GPU. They take turns on it, unless `usesMps`. Absent = false. */
  sharesGpu: z.boolean().optional(),
  /** True if CUDA's Multi-Process Service runs kernels of all ranks that share a GPU at the same time. Absent = false. */
  usesMps: z.boolean().optional(),
});

/** Facts about the software and hardware that move the bytes of a transport, as plans and results store them. */
export const transportDetail = reportedDetail.extend({
  /** Number of hosts between which TCP connections run, each over its own route; absent if all use one interface. */
  hosts: z.int().optional(),
  /**
   * Source of results that another program measured. `imported`: its output file. `recorded`: a recording of its calls. Absent =
   * collbench measured them.
   */
  origin: z.enum(['imported', 'recorded']).optional(),
});
export type TransportDetail = z.infer<typeof transportDetail>;

/**
 * Returns generation and lanes of the PCIe link that a software device imitates: 3 and 8 for "pcie-gen3-x8"; null for any other
 * link model, or none.
 */
export function pcieLinkOf({ link = '' }: TransportDetail): { generation: number; lanes: number } | null {
  const [, generation, lanes] = /^pcie-gen(\d)-x(\d+)$/.exec(link) ?? [];
  return generation === undefined ? null : { generation: Number(generation), lanes: Number(lanes) };
}

/** Returns a phrase for readers for each fact about a transport, with the name of the fact's field. Absent facts have no phrase. */
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
    sharesGpu: detail.sharesGpu && !detail.usesMps && 'ranks that share a GPU take turns on it',
    usesMps: detail.usesMps && 'ranks use one GPU at the same time (CUDA MPS)',
    origin: detail.origin,
  };
  return Object.entries(phrases).flatMap(([field, text]) => (text ? [{ field, text: String(text) }] : []));
}

const joined = (...words: (string | undefined)[]): string =>
  words.filter((word) => word !== undefined).join(' ');

/**
 * Returns the facts about a transport as one line for readers: "TCP over lo, 4 streams", "softntb, link pcie-gen3-x8"; "" if there
 * are none.
 */
export const detailText = (detail: TransportDetail): string =>
  phrasesOf(detail)
    .map(({ text }) => text)
    .join(', ');

/**
 * Returns the texts that follow the transport's name in a label, one per group of facts. The first names device or library, with
 * its link or version: "softntb link none", "NCCL 2.28.9". The transport that a library was told to use is left out if it has
 * that name. Empty if no fact is known.
 * @param transport name of the transport, such as "p2p"
 */
export const detailParts = (detail: TransportDetail, transport: string): string[] =>
  labelPhrases(detail, transport)
    .map(labelText)
    .filter((part) => part !== '');

/**
 * Returns the text that follows the transport's name in a short label: device or library, with its link or version; "" if there
 * are none. The link model "none" of a software device is left out, because it limits nothing.
 * @param transport name of the transport, such as "p2p"
 */
export function shortDetail(detail: TransportDetail, transport: string): string {
  const [first = []] = labelPhrases(detail, transport);
  const isFree = detail.link === 'none';
  return labelText(first.filter(({ field }) => !(isFree && field === 'link')));
}

/**
 * Returns the phrases of one part of a label, joined by spaces. ", " within a phrase is replaced by a space, because commas
 * separate the parts of a label.
 */
const labelText = (phrases: readonly { text: string }[]): string =>
  phrases.map(({ text }) => text.replaceAll(', ', ' ')).join(' ');

/**
 * Returns the phrases of a label, one list per part. Usually the first part has two phrases, such as device and link, and each
 * other part has one. If no framework is used and a library was told to use the transport that the label names anyway, all phrases
 * are one part.
 */
function labelPhrases(detail: TransportDetail, transport: string) {
  const { framework, libraryTransport, ...others } = detail;
  if (framework === undefined && libraryTransport === transport) return [phrasesOf(others)];
  const [device, link, ...more] = phrasesOf(detail);
  const first = [device, link].filter((phrase) => phrase !== undefined);
  return [first, ...more.map((phrase) => [phrase])];
}
