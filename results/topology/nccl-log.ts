import type { TopologyReport } from '../schema/index.ts';
import { SystemTreeReader } from './nccl-tree.ts';
import type { CommGraph, Topology } from './types.ts';

type LoggedFacts = NonNullable<TopologyReport['log']>;

/**
 * Contents of a log of NCCL with NCCL_DEBUG=INFO. A value that the log does not state is null, a list then is empty. While
 * measuring, the engine parses its own log in native/engines/nccl/log.cc; both parsers are tested with the same logs
 * (expected-logs.json).
 */
export interface NcclLog extends LoggedFacts {
  graphs: CommGraph[];
  /** Hardware topologies as NCCL detected them, one for each host that logged its tree ("=== System"). */
  topologies: Topology[];
}

export type NcclConnection = LoggedFacts['connections'][number];
export type NcclChoice = LoggedFacts['choices'][number];

const algorithms = ['Tree', 'Ring', 'CollNetDirect', 'CollNetChain', 'NVLS', 'NVLSTree', 'PAT'];
const protocols = ['LL', 'LL128', 'Simple'];
const maxConnections = 1_000_000;

export const looksLikeNcclLog = (text: string): boolean => / NCCL (INFO|WARN) /.test(text);

const plain = (word: string): string => word.replaceAll('_', '').toLowerCase();

/**
 * Returns an algorithm or protocol by its usual name: "Ring" for "RING", "Ring" or the number "1". An unknown word is returned
 * unchanged.
 * @param names usual names, in the order of NCCL's numbers
 */
const nameIn = (names: readonly string[], word: string): string =>
  (/^\d+$/.test(word) ? names[Number(word)] : names.find((name) => plain(name) === plain(word))) ?? word;

/**
 * Returns the connection type: the first two parts of NCCL's text between slashes and, for a network, GDRDMA if the text has it.
 * Device numbers and other details are left out: "NET/IB/GDRDMA" for "NET/IB/0(3)/GDRDMA/Shared", "P2P/indirect" for
 * "P2P/indirect/3[2]".
 * @param via NCCL's text for the connection, which the log has after "via"
 */
export function wayOf(via: string): string {
  const text = via.replace(/[ \r]+$/, '');
  const way = text.split('/').slice(0, 2).join('/');
  return way.startsWith('NET/') && text.includes('/GDRDMA') ? `${way}/GDRDMA` : way;
}

/**
 * Parses a log of NCCL (NCCL_DEBUG=INFO); lines of other programs are ignored. A text without lines of NCCL gives an empty log. A
 * fact that several ranks log counts once. Rings and trees that are incomplete are left out, with a note.
 * @param name name of the file, for the `source` of graphs and topologies
 */
export function ncclLog(text: string, name: string): NcclLog {
  const log: NcclLog = {
    version: null,
    network: null,
    plugin: null,
    gin: null,
    gpuDirect: [],
    noGpuDirect: [],
    connections: [],
    choices: [],
    graphs: [],
    topologies: [],
    notes: [],
  };
  const reader = new NcclLogReader(log);
  const trees = new SystemTreeReader();
  for (const line of text.split('\n')) {
    // Before 2.27 rank 0 prints this line without a prefix.
    if (line.startsWith('NCCL version ')) reader.take(line);
    const at = line.indexOf(' NCCL INFO ');
    if (at >= 0 && !line.slice(0, at).includes(' NCCL WARN ')) {
      const text = line.slice(at + ' NCCL INFO '.length).replace(/\r$/, '');
      reader.take(text);
      trees.take(line.slice(0, at), text);
    }
  }
  reader.end(`NCCL's log, ${name}`);
  log.topologies = trees.topologies(`NCCL's log, ${name}`);
  return log;
}

class NcclLogReader {
  private readonly log: NcclLog;
  private readonly connections = new Map<string, NcclConnection>();
  private readonly choices = new Map<string, NcclChoice>();
  private readonly rings = new Map<number, string>();
  /** Parent (`up`, -1 for the root) and children (`down`) of each rank in a tree, by channel, then by rank. */
  private readonly trees = new Map<number, Map<number, { up: number; down: number[] }>>();
  private readonly ranks = new Set<number>();
  private readonly adapters = new Map<string, boolean>();
  /** Names of adapters by network, then by NCCL's number of the adapter: "IB", 0. */
  private readonly listed = new Map<string, Map<number, string>>();
  private readonly endsOf = new Map<number, number>();
  private severalComms = false;

  constructor(log: NcclLog) {
    this.log = log;
  }

  take(text: string): void {
    const { log } = this;
    log.version ??= /^NCCL version (\S+)/.exec(text)?.[1] ?? null;
    log.network ??= /^Using network (.+)$/.exec(text)?.[1] ?? null;
    const plugin = /^NET\/Plugin ?: Loaded net plugin (.+) \(v(\d+)\)/.exec(text);
    if (plugin !== null) log.plugin ??= `${plugin[1]} v${plugin[2]}`;
    const gin = /^GIN\/Plugin: Assigned plugin .* type (\d+)/.exec(text)?.[1];
    if (gin !== undefined) log.gin ??= { 2: 'PROXY', 3: 'GDAKI', 4: 'GPI' }[gin] ?? `type ${gin}`;
    const direct = /^NET\/(.+) : GPU Direct RDMA (Enabled|Disabled) for HCA \d+ '(.*)'/.exec(text);
    if (direct !== null) this.adapters.set(`${direct[1]} ${direct[3]}`, direct[2] === 'Enabled');
    const using = /^NET\/(.+?) ?: Using (\[\d.*)$/.exec(text);
    if (using !== null) {
      const names = this.listed.get(using[1] ?? '') ?? new Map<number, string>();
      for (const [, number, name] of (using[2] ?? '').matchAll(/\[(\d{1,3})\]([^\s<>/[\]]+)/g))
        names.set(Number(number), name ?? '');
      this.listed.set(using[1] ?? '', names);
    }
    const size = /\bn[rR]anks (\d{1,7})\b/.exec(text)?.[1];
    if (size !== undefined) this.ranks.add(Number(size));
    this.takeConnection(text);
    this.takeChoice(text);
    this.takeRing(text);
    this.takeTrees(text);
  }

  private takeConnection(text: string): void {
    const match =
      /^Channel (\d{1,4})(?:\/(\d{1,4}))? ?: (\d{1,7})\[[^\]]*\] -> (\d{1,7})\[[^\]]*\] (?:\[(?:send|receive)\] )?via (\S.*)$/.exec(
        text,
      );
    if (match === null || this.connections.size >= maxConnections) return;
    const [, channel, index = '', from, to, via] = match as unknown as [string, ...string[]];
    const way = wayOf(via as string);
    const device = /^NET\/[^/]+\/(\d{1,3})/.exec(via ?? '')?.[1];
    if (device !== undefined) this.endsOf.set(Number(device), (this.endsOf.get(Number(device)) ?? 0) + 1);
    // Both ends log each connection; equal keys make them one.
    this.connections.set([channel, index, from, to, way].join(' '), {
      channel: Number(channel),
      from: Number(from),
      to: Number(to),
      way,
    });
  }

  private takeChoice(text: string): void {
    const match = /^(?:([A-Za-z]+)(?: \[([^\]]+)\])?: )?(\d{1,15}) Bytes -> (.*)$/.exec(text);
    if (match === null) return;
    const [, what = '', special, bytes, choice = ''] = match;
    const told = (algorithm: string, protocol: string) => {
      const one = { what, bytes: Number(bytes), algorithm, protocol };
      this.choices.set(Object.values(one).join(' '), one);
    };
    const kernel = /^Kernel (\S+)/.exec(choice)?.[1];
    const algorithm = /^Algo (\S+) proto (\S+)/.exec(choice);
    if (special === 'Symmetric' && kernel !== undefined) told('Symmetric', kernel);
    else if (special === 'Copy Engine') told('CopyEngine', '');
    else if (special === 'Hierarchical CE') told('HierarchicalCE', '');
    else if (algorithm !== null) {
      told(nameIn(algorithms, algorithm[1] ?? ''), nameIn(protocols, algorithm[2] ?? ''));
    }
  }

  private takeRing(text: string): void {
    const match = /^Channel (\d{1,4})\/\d{1,4} ?:((?: +\d{1,7})+) *$/.exec(text);
    if (match === null) return;
    const channel = Number(match[1]);
    const order = (match[2] as string).trim().replaceAll(/ +/g, ' ');
    const before = this.rings.get(channel);
    if (before === undefined) this.rings.set(channel, order);
    else if (before !== order) this.severalComms = true;
  }

  private takeTrees(text: string): void {
    if (!text.startsWith('Trees ')) return;
    const part = /\[(\d{1,4})\] (-?\d+)\/(-?\d+)\/(-?\d+)->(\d{1,7})->(-?\d{1,7})(?=[ |]|$)/g;
    for (const [, channel, d0, d1, d2, rank, up] of text.matchAll(part)) {
      const tree = this.trees.get(Number(channel)) ?? new Map<number, { up: number; down: number[] }>();
      this.trees.set(Number(channel), tree);
      const node = { up: Number(up), down: [d0, d1, d2].map(Number).filter((down) => down >= 0) };
      const before = tree.get(Number(rank));
      if (before === undefined) tree.set(Number(rank), node);
      else if (before.up !== node.up) this.severalComms = true;
    }
  }

  end(source: string): void {
    const { log } = this;
    log.connections = [...this.connections.values()];
    const listed = [...(this.listed.get(log.network ?? '') ?? [])];
    if (listed.length > 1 && this.endsOf.size > 0)
      log.rails = listed.map(([number, name]) => ({ name, ends: this.endsOf.get(number) ?? 0 }));
    log.choices = [...this.choices.values()];
    for (const [name, isOn] of this.adapters) (isOn ? log.gpuDirect : log.noGpuDirect).push(name);
    if (this.severalComms || this.ranks.size > 1) {
      log.notes.push('the log is of several communicators: rings and trees are those of the first');
    }
    const rings = [...this.rings].flatMap(([channel, text]) => {
      const order = text.split(' ');
      return this.isRing(order.map(Number)) ? [{ channel, order, isClosed: true, edges: [] }] : [];
    });
    if (rings.length < this.rings.size) {
      log.notes.push(
        'rings that do not go through every rank once are left out: NCCL cuts lines at 1024 letters',
      );
    }
    if (rings.length > 0) log.graphs.push({ source, pattern: 'ring', detail: '', channels: rings });
    const trees = [...this.trees].flatMap(([channel, tree]) => {
      const edges = edgesOf(tree);
      return edges === null ? [] : [{ channel, order: [], isClosed: false, edges }];
    });
    if (trees.length < this.trees.size) log.notes.push('incomplete trees are left out');
    if (trees.length > 0) log.graphs.push({ source, pattern: 'tree', detail: '', channels: trees });
  }

  /**
   * True if a ring from the log contains every rank once. If the log states numbers of ranks of communicators, the ring must have
   * one of these numbers.
   */
  private isRing(order: readonly number[]): boolean {
    const size = [...this.ranks];
    if (size.length > 0 && !size.includes(order.length)) return false;
    return (
      order.length > 1 && new Set(order).size === order.length && Math.max(...order) === order.length - 1
    );
  }
}

/**
 * Returns the edges of one channel's tree as [child, parent]. Null if a rank has no line in the log, if lines of two ranks
 * contradict each other, or if the edges do not form a single tree.
 */
function edgesOf(
  tree: ReadonlyMap<number, { up: number; down: readonly number[] }>,
): [string, string][] | null {
  const edges: [string, string][] = [];
  for (const [rank, { up, down }] of tree) {
    if (down.some((child) => tree.get(child)?.up !== rank)) return null;
    if (up < 0) continue;
    if (!tree.get(up)?.down.includes(rank)) return null;
    edges.push([String(rank), String(up)]);
  }
  const hasOneRoot = edges.length === tree.size - 1;
  return tree.size > 1 && hasOneRoot && !hasCircle(tree) ? edges : null;
}

function hasCircle(tree: ReadonlyMap<number, { up: number }>): boolean {
  for (const start of tree.keys()) {
    let rank = start;
    for (let steps = 0; rank >= 0; steps += 1) {
      if (steps > tree.size) return true;
      rank = tree.get(rank)?.up ?? -1;
    }
  }
  return false;
}
