import type { CommGraph, GraphChannel } from './types.ts';
import { TopologyError } from './types.ts';
import { parseDecimal, parseNatural, readXml, type XmlElement } from './xml.ts';

/** Names of graph patterns by NCCL's numbers (graph.h: NCCL_TOPO_PATTERN_*). */
const patterns: Readonly<Record<number, string>> = {
  1: 'balanced tree',
  2: 'split tree',
  3: 'tree',
  4: 'ring',
  5: 'NVLS',
  6: 'CollNet direct',
};

/**
 * Parses the file of NCCL_GRAPH_DUMP_FILE: `<graphs><graph pattern><channel><net dev><gpu dev>...`. A graph without channels is one
 * that NCCL did not find; it is left out. For a tree, the file only has the order of GPUs within one machine, which is a chain.
 * @param name name of the file, for the graphs' `source`
 * @throws TopologyError if the file has another form
 */
export function ncclGraphs(text: string, name: string): CommGraph[] {
  const root = readXml(text);
  if (root.name !== 'graphs') {
    throw new TopologyError(`XML: the root is <${root.name}>, NCCL's graphs have <graphs>`);
  }
  return root.children
    .filter((child) => child.name === 'graph')
    .map(
      (graph): CommGraph => ({
        source: `NCCL, ${name}`,
        pattern: patternOf(graph),
        detail: detailOf(graph),
        channels: graph.children
          .filter((child) => child.name === 'channel')
          .map((channel, at) => channelOf(channel, at, patternOf(graph) === 'ring'))
          .filter(({ order }) => order.length > 0),
      }),
    )
    .filter(({ channels }) => channels.length > 0);
}

function patternOf({ attributes }: XmlElement): string {
  const number = parseNatural(attributes.pattern);
  return (number === null ? undefined : patterns[number]) ?? `pattern ${attributes.pattern ?? '?'}`;
}

function detailOf({ attributes }: XmlElement): string {
  const part = (where: string, type: string | undefined, speed: string | undefined): string[] => {
    const GBps = parseDecimal(speed);
    if (type === undefined || GBps === null || GBps === 0) return [];
    return [`${where} ${type}, estimated at ${GBps} GB/s per channel`];
  };
  return [
    ...part('inside', attributes.typeintra, attributes.speedintra),
    ...part('outside', attributes.typeinter, attributes.speedinter),
  ].join('; ');
}

/**
 * Parses a device number: "0", and from NCCL 2.28 on "0x1". NCCL prints numbers with "%#x", which omits the prefix for 0. Null if
 * the text is no number.
 */
function deviceIn(text: string | undefined): number | null {
  return text !== undefined && /^0x[0-9a-f]{1,12}$/.test(text)
    ? Number.parseInt(text, 16)
    : parseNatural(text);
}

/**
 * Returns a channel with the order of its GPUs and adapters. NCCL writes the channel's adapter at both ends. A ring with adapters
 * at its ends continues on another machine, so its last member does not send to its first. If first and last member are equal, the
 * last is dropped, except in a ring with adapters.
 * @param channel number of the channel
 * @param isRing true = the graph is a ring; false = it is a chain
 */
function channelOf({ children }: XmlElement, channel: number, isRing: boolean): GraphChannel {
  const names = children.flatMap(({ name, attributes }) => {
    const dev = deviceIn(attributes.dev);
    if (dev === null) return [];
    return name === 'gpu' ? [`GPU ${dev}`] : name === 'net' ? [`NET ${dev}`] : [];
  });
  const isTwice = names.length > 1 && names[0] === names.at(-1);
  const hasAdapters = children.some(({ name }) => name === 'net');
  // A ring that uses one adapter in both directions has it at both ends; a chain has it once.
  const order = isTwice && !(isRing && hasAdapters) ? names.slice(0, -1) : names;
  return { channel, order, isClosed: isRing && !hasAdapters, edges: [] };
}
