// Table of the highest possible rates between devices of a host. Pairs of devices with equal paths share a row.
import { addTo } from '../../results/collections.ts';
import {
  type DevicePath,
  pathsOf,
  type Topology,
  type TopologyDevice,
} from '../../results/topology/index.ts';
import { type DocumentTable, tableOf } from '../document/blocks.ts';
import { formatBandwidth } from '../wording.ts';
import { jointLegend, jointTexts } from './channel-texts.ts';

/**
 * Maximum number of pairs of devices that a row names: all if they are at most `all`, else the first `few`; `topo --json` has all.
 */
const maxPairs = { all: 8, few: 4 };

/** Returns the two devices at the ends of a path, a GPU before an adapter. */
const endsOf = ({ a, b }: DevicePath): TopologyDevice[] =>
  [a, b].sort((one, other) => Number(other.kind === 'gpu') - Number(one.kind === 'gpu'));

const kindsText = (path: DevicePath): string =>
  endsOf(path)
    .map(({ kind }) => (kind === 'gpu' ? 'GPU' : 'adapter'))
    .join(' to ');

function pairsText(paths: readonly DevicePath[]): string {
  const named = paths.slice(0, paths.length <= maxPairs.all ? maxPairs.all : maxPairs.few);
  const more = paths.length - named.length;
  const texts = named.map((path) =>
    endsOf(path)
      .map(({ short }) => short)
      .join(' - '),
  );
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const rateText = ({ ceiling: { GBps, isComplete } }: DevicePath): string =>
  GBps === null ? 'not known' : `${isComplete ? '' : '≤ '}${formatBandwidth(GBps)}`;

/** Returns the table of a host's paths between GPUs and adapters; without rows if the host has fewer than two such devices. */
export function pathTable(topology: Topology): DocumentTable {
  const groups = new Map<string, DevicePath[]>();
  for (const path of pathsOf(topology))
    addTo(groups, [kindsText(path), path.joint, rateText(path), path.ceiling.limit].join('\0'), path);
  return tableOf<{ first: DevicePath; paths: DevicePath[] }>(
    [
      { head: 'between', cell: ({ first }) => kindsText(first) },
      { head: 'through', cell: ({ first: { joint } }) => (joint === null ? '?' : jointTexts[joint]) },
      { head: 'at most', align: 'right', cell: ({ first }) => rateText(first) },
      { head: 'set by', cell: ({ first }) => first.ceiling.limit },
      { head: 'pairs', align: 'right', cell: ({ paths }) => String(paths.length) },
      { head: 'devices', isLong: true, cell: ({ paths }) => pairsText(paths) },
    ],
    [...groups.values()].flatMap((paths) => paths.slice(0, 1).map((first) => ({ first, paths }))),
    { caption: `${jointLegend}; ≤: not all links on the way are known.` },
  );
}
