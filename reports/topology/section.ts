import { addressOf, devicesOf, type Topology } from '../../results/topology/index.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { html, type SafeHtml, trustHtml } from '../html/markup.ts';
import { formatCount, joinWords, plural } from '../wording.ts';
import { machineText, rateText } from './channel-texts.ts';
import { machinePicture } from './machine-picture.ts';
import { pathTable } from './path-table.ts';

/**
 * Maximum number of different hosts that are drawn. Hosts of one cluster are mostly alike, so more drawings would show little.
 */
const maxMachines = 4;

/**
 * Returns HTML about how devices are connected within the hosts. Hosts that differ only in their name share a drawing; at most four
 * drawings are shown.
 * @returns null if no host has a device to show
 */
export function connectionSection(topologies: readonly Topology[]): SafeHtml | null {
  const alike = groupsOf(topologies.filter((one) => devicesOf(one).length > 0));
  if (alike.length === 0) return null;
  const shown = alike.slice(0, maxMachines);
  const left = alike.length - shown.length;
  return html`<p>As reported by the kernel and, for GPUs, the driver after the last configuration. Rates are per direction for packets, after line coding; unknown ones are marked.</p>
${shown.map((group) => machine(group))}
${left === 0 ? '' : html`<p>${plural(left, 'more machine')} that differ are in machines.json.</p>`}`;
}

interface HostsOfTopology {
  topology: Topology;
  hosts: string[];
}

/** Groups hosts whose topologies differ only in the host name; each group is drawn once. */
function groupsOf(topologies: readonly Topology[]): HostsOfTopology[] {
  const groups = new Map<string, HostsOfTopology>();
  for (const topology of topologies) {
    const key = JSON.stringify({ ...topology, host: '' });
    const group = groups.get(key) ?? { topology, hosts: [] };
    group.hosts.push(topology.host);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function hostsText(hosts: readonly string[]): string {
  const shown = hosts.slice(0, 8);
  const more = hosts.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${formatCount(more)} more` : joinWords(shown);
}

function machine({ topology, hosts }: HostsOfTopology): SafeHtml {
  const svg = machinePicture({ ...topology, host: hostsText(hosts) });
  const paths = pathTable(topology);
  const summary = `Highest rate between any two devices of ${hostsText(hosts)}`;
  const details: DocumentBlock[] = [
    ...topology.notes.map((note) => ({ kind: 'paragraph' as const, text: `Note: ${note}.` })),
    deviceTable(topology, hosts),
    ...(paths.rows.length === 0 ? [] : [{ kind: 'folded' as const, summary, body: [paths] }]),
  ];
  return html`${svg === null ? '' : html`<div class="scroll" tabindex="0" role="region" aria-label="How ${hostsText(hosts)} is connected">${trustHtml(svg)}</div>`}
${pageMarkup(details)}`;
}

/**
 * Returns a table with the same content as the drawing of a host, folded on pages, for readers who cannot see the drawing.
 * @param hosts names of all hosts with this topology
 */
function deviceTable(topology: Topology, hosts: readonly string[]): DocumentBlock {
  const rows = topology.domains.flatMap((domain) =>
    devicesOf({ domains: [domain] }).map((device) => ({ ...device, node: domain.node })),
  );
  const peersOf = (id: string): string =>
    [...new Set(topology.peers.filter(({ from }) => from === id).map(({ rate }) => rateText(rate)))].join(
      '; ',
    );
  const table = tableOf<(typeof rows)[number]>(
    [
      { head: 'device', cell: ({ short }) => short },
      { head: 'what', cell: ({ detail }) => detail },
      { head: 'address', cell: (device) => addressOf(device) || null },
      { head: 'NUMA node', align: 'right', cell: ({ node }) => String(node ?? '?') },
      { head: 'link', cell: ({ up }) => (up === null ? null : rateText(up)) },
      { head: 'leads out', cell: ({ wire }) => (wire === null ? null : rateText(wire)) },
      { head: 'between GPUs', cell: ({ id }) => peersOf(id) || null },
      { head: '', cell: ({ problem }) => problem ?? '' },
    ],
    rows,
    { caption: machineText(topology) },
    ({ problem }) => ({ isBad: problem !== null }),
  );
  return {
    kind: 'folded',
    summary: `${plural(rows.length, 'device')} of ${hostsText(hosts)}`,
    body: [table],
  };
}
