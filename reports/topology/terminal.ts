import { addTo } from '../../results/collections.ts';
import { rangesText } from '../../results/fold.ts';
import {
  addressOf,
  type CommGraph,
  devicesOf,
  type NcclLog,
  type SmiMatrix,
  type Topology,
  type TopologyDevice,
  type TopologyView,
} from '../../results/topology/index.ts';
import type { DocumentBlock } from '../document/blocks.ts';
import { terminalLines } from '../document/terminal.ts';
import { formatCount, joinWords, plural, valueRange, wrap } from '../wording.ts';
import {
  deviceText,
  domainText,
  groupAlikeChannels,
  listedOrder,
  machineText,
  peerLines,
  rateText,
} from './channel-texts.ts';
import { pathTable } from './path-table.ts';

const maxShapes = 8;

/**
 * Returns how devices are connected, as text.
 * @param width columns of the terminal. Sentences are wrapped, but not within a device name; deep trees are cut. Lines about
 * devices may be longer.
 */
export function topologyText(view: TopologyView, width: number): string {
  return [
    ...view.topologies.flatMap((one) => [...machineLines(one, width), '']),
    ...view.matrices.flatMap(({ name, matrix }) => [...smiLines(name, matrix, width), '']),
    ...view.graphs.flatMap((one) => [...graphLines(one, width), '']),
    ...(view.log === null ? [] : logLines(view.log, width)),
  ].join('\n');
}

/** Wraps a text to lines of at most `width` characters, and indents the first line by `indent` spaces. */
const indentedLines = (text: string, indent: number, width: number): string[] =>
  wrap(' '.repeat(indent) + text, width).map((line) => line.replaceAll(kept, ' '));

/** Character that stands for a space at which a line may not be wrapped, as in "GPU 0". It becomes a space again after wrapping. */
const kept = '\u0001';
const whole = (name: string): string => name.replaceAll(' ', kept);

function machineLines(topology: Topology, width: number): string[] {
  const names = new Map(devicesOf(topology).map(({ id, short }) => [id, short]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const links = peerLines(topology.peers, nameOf);
  return [
    topology.host,
    ...indentedLines(machineText(topology), 2, width),
    '',
    ...topology.domains.flatMap((domain) => [
      domainText(domain),
      ...domain.devices.flatMap((device, at) =>
        deviceLines(device, '', at === domain.devices.length - 1, width),
      ),
    ]),
    ...(links.length === 0 ? [] : ['', 'between GPUs, one direction']),
    ...links.flatMap(([from, text]) => indentedLines(`${joinWords(from.map(whole))}: ${text}`, 2, width)),
    ...pathLines(topology, width),
    ...topology.notes.flatMap((note) => indentedLines(`note: ${note}`, 0, width)),
  ];
}

/**
 * Returns the lines about one device: its name and the rate of its link, on one line if both fit; below them the devices that are
 * connected to it.
 * @param lead text before the device that draws the branches of the tree
 * @param isLast true for the last of several devices at one place
 */
function deviceLines(device: TopologyDevice, lead: string, isLast: boolean, width: number): string[] {
  const head = `${lead}${isLast ? '└─' : '├─'} `;
  const below = `${lead}${isLast ? '  ' : '│ '} `;
  const rates = [
    ...(device.up === null ? [] : [rateText(device.up)]),
    ...(device.problem === null ? [] : [device.problem]),
    ...(device.wire === null ? [] : [`port ${rateText(device.wire)}`]),
  ].join('; ');
  const text = `${addressOf(device)} ${deviceText(device)}`.trimStart();
  const room = width - head.length;
  const fits = text.length + 2 + rates.length <= room;
  const own =
    rates === '' || fits
      ? [`${head}${text}${rates === '' ? '' : `  ${rates}`}`]
      : [`${head}${text}`, ...indentedLines(rates, 4, width - below.length).map((line) => below + line)];
  return [
    ...own,
    ...device.children.flatMap((child, at) =>
      deviceLines(child, below, at === device.children.length - 1, width),
    ),
  ];
}

/**
 * Returns the highest bandwidth between each pair of devices as a table, in which pairs with equal paths share a row; empty with
 * fewer than two devices.
 */
function pathLines(topology: Topology, width: number): string[] {
  const paths = pathTable(topology);
  const legend: DocumentBlock = { kind: 'paragraph', text: paths.caption ?? '' };
  return paths.rows.length === 0
    ? []
    : sectionLines('highest rate between two devices, in one direction', [paths, legend], width);
}

const sectionLines = (title: string, body: readonly DocumentBlock[], columns: number): string[] => [
  '',
  ...terminalLines([{ kind: 'section', title, body }], { columns, color: false }),
];

function smiLines(name: string, { names, cells }: SmiMatrix, width: number): string[] {
  const rows = names.map((row, at) => [row, ...names.map((_, column) => cells[at]?.[column] ?? '-')]);
  const table = { kind: 'table' as const, columns: ['', ...names].map((head) => ({ head })) };
  return sectionLines(
    `nvidia-smi topo -m, ${name}`,
    [{ ...table, rows: rows.map((row) => ({ cells: row })) }],
    width,
  ).slice(1);
}

function graphLines(graph: CommGraph, width: number): string[] {
  const shapes = groupAlikeChannels(graph);
  const shown = shapes.slice(0, maxShapes);
  const detail = graph.detail === '' ? '' : `; ${graph.detail}`;
  const left = shapes.length - shown.length;
  return [
    ...indentedLines(
      `${graph.pattern}, ${plural(graph.channels.length, 'channel')} (${graph.source})${detail}`,
      0,
      width,
    ),
    ...shown.flatMap((shape) => [
      ...indentedLines(`channel ${rangesText(shape.channels)}`, 2, width),
      ...(shape.edges.length > 0
        ? treeLines(shape.edges, width)
        : indentedLines(listedOrder(shape).map(whole).join(' -> '), 4, width)),
    ]),
    ...(graph.pattern === 'ring' && shapes.some(({ isClosed }) => !isClosed)
      ? indentedLines('A ring that ends at an adapter continues on another machine.', 2, width)
      : []),
    ...(left > 0 ? [`  ${left} more that differ: --json has all`] : []),
  ];
}

/**
 * Returns a tree of ranks as lines: the root first, children below their parent; each line is cut at `width`. Empty if there is no
 * root.
 * @param edges pairs of child and parent
 */
function treeLines(edges: readonly [child: string, parent: string][], width: number): string[] {
  const children = new Map<string, string[]>();
  for (const [child, parent] of edges) addTo(children, parent, child);
  const isChild = new Set(edges.map(([child]) => child));
  const root = edges.map(([, parent]) => parent).find((parent) => !isChild.has(parent));
  if (root === undefined) return [];
  const lines = [`    ${root}`];
  const add = (name: string, lead: string): void => {
    const all = children.get(name) ?? [];
    for (const [at, child] of all.entries()) {
      const isLast = at === all.length - 1;
      lines.push(`    ${lead}${isLast ? '└─' : '├─'} ${child}`.slice(0, width));
      // In a chain of hundreds of ranks lines become so deep that they are cut; --json has them in full.
      add(child, `${lead}${isLast ? '  ' : '│ '} `);
    }
  };
  add(root, '');
  return lines;
}

function logLines(log: NcclLog, width: number): string[] {
  const ways = new Map<string, Set<number>>();
  const counts = new Map<string, number>();
  for (const { way, channel } of log.connections) {
    ways.set(way, (ways.get(way) ?? new Set()).add(channel));
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  const facts = [
    ...(log.version === null ? [] : [`NCCL ${log.version}`]),
    ...(log.network === null ? [] : [`network ${log.network}`]),
    ...(log.plugin === null ? [] : [`plugin ${log.plugin}`]),
    ...(log.gin === null ? [] : [`GIN by ${log.gin}`]),
    ...(log.gpuDirect.length === 0 ? [] : [`GPUDirect RDMA: ${log.gpuDirect.join(', ')}`]),
    ...(log.noGpuDirect.length === 0 ? [] : [`no GPUDirect RDMA: ${log.noGpuDirect.join(', ')}`]),
  ];
  const hasMore = ways.size > 0 || log.choices.length > 0 || log.notes.length > 0;
  if (facts.length === 0 && !hasMore && log.topologies.length > 0) return [];
  return [
    ...indentedLines(`NCCL's log: ${facts.length === 0 ? 'no facts' : facts.join('; ')}`, 0, width),
    ...[...ways].flatMap(([way, channels]) =>
      indentedLines(
        `${formatCount(counts.get(way) ?? 0)} connections over ${way}, channels ${rangesText([...channels])}`,
        2,
        width,
      ),
    ),
    ...railLines(log, width),
    ...choiceLines(log, width),
    ...log.notes.flatMap((note) => indentedLines(`note: ${note}`, 0, width)),
    '',
  ];
}

/**
 * Returns how many ends of connections each rail (network adapter) has: "2 rails: 16 connection ends on mlx5_0:1, none on
 * mlx5_1:1".
 */
function railLines({ rails = [] }: NcclLog, width: number): string[] {
  if (rails.length === 0) return [];
  const text = ({ name, ends }: (typeof rails)[number], at: number) =>
    `${ends === 0 ? 'none' : formatCount(ends)}${at === 0 ? ' connection ends' : ''} on ${name}`;
  return indentedLines(`${plural(rails.length, 'rail')}: ${rails.map(text).join(', ')}`, 2, width);
}

/**
 * Returns lines with the algorithms and protocols that NCCL's log shows for each collective. Sizes with the same algorithm and
 * protocol share a line, which names only the smallest and the largest.
 */
function choiceLines({ choices }: NcclLog, width: number): string[] {
  const groups = new Map<string, number[]>();
  for (const { what, algorithm, protocol, bytes } of choices) {
    const key = `${what === '' ? 'a collective' : what} by ${algorithm}${protocol === '' ? '' : `/${protocol}`}`;
    addTo(groups, key, bytes);
  }
  return [...groups].flatMap(([key, sizes]) =>
    indentedLines(`${key}: ${valueRange(sizes, formatCount)} B`, 2, width),
  );
}
