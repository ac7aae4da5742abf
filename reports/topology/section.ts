import { devicesOf, pathsOf, type Topology } from '../../results/topology/index.ts';
import { html, type SafeHtml, table, trustHtml } from '../html/markup.ts';
import { formatBandwidth, formatCount, joinWords, plural } from '../wording.ts';
import { addressOf, jointLegend, jointTexts, machineText, rateText } from './channel-texts.ts';
import { machinePicture } from './machine-picture.ts';

/**
 * Maximum number of different hosts that are drawn. Hosts of one cluster are mostly alike, so more drawings would show little.
 */
const mostMachines = 4;
const mostPaths = 200;

/**
 * Returns the report's section about how devices are connected within the hosts.
 * @returns null if no host has a device to show
 */
export function connectionSection(topologies: readonly Topology[]): SafeHtml | null {
  const alike = groupsOf(topologies.filter((one) => devicesOf(one).length > 0));
  if (alike.length === 0) return null;
  const shown = alike.slice(0, mostMachines);
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
  const notes = topology.notes.map((note) => html`<p>Note: ${note}.</p>`);
  return html`${svg === null ? '' : html`<div class="scroll" tabindex="0" role="region" aria-label="How ${hostsText(hosts)} is connected">${trustHtml(svg)}</div>`}
${notes}
${deviceTable(topology, hosts)}
${pathTable(topology, hosts)}`;
}

/** Returns a table with the same content as the drawing, for readers who cannot see it. */
function deviceTable(topology: Topology, hosts: readonly string[]): SafeHtml {
  const rows = topology.domains.flatMap((domain) =>
    devicesOf({ domains: [domain] }).map((device) => ({ ...device, node: domain.node })),
  );
  type Row = (typeof rows)[number];
  const peersOf = (id: string): string =>
    [...new Set(topology.peers.filter(({ from }) => from === id).map(({ rate }) => rateText(rate)))].join(
      '; ',
    );
  return html`<details><summary>${plural(rows.length, 'device')} of ${hostsText(hosts)}</summary>${table(
    machineText(topology),
    [
      { head: 'device', cell: (row: Row) => row.short },
      { head: 'what', cell: (row: Row) => row.detail },
      { head: 'address', cell: (row: Row) => addressOf(row) || '–' },
      { head: 'NUMA node', number: true, cell: (row: Row) => row.node ?? '?' },
      { head: 'link', cell: (row: Row) => (row.up === null ? '–' : rateText(row.up)) },
      { head: 'leads out', cell: (row: Row) => (row.wire === null ? '–' : rateText(row.wire)) },
      { head: 'between GPUs', cell: (row: Row) => peersOf(row.id) || '–' },
      { head: '', cell: (row: Row) => row.problem ?? '' },
    ],
    rows,
    (row) => (row.problem === null ? '' : 'bad'),
  )}</details>`;
}

function pathTable(topology: Topology, hosts: readonly string[]): SafeHtml {
  const paths = pathsOf(topology);
  if (paths.length === 0) return html``;
  const shown = paths.slice(0, mostPaths);
  type Row = (typeof paths)[number];
  const more = paths.length > shown.length ? ` The first ${mostPaths} of ${formatCount(paths.length)}.` : '';
  return html`<details><summary>Highest rate between any two devices of ${hostsText(hosts)}</summary>${table(
    `${jointLegend}.${more}`,
    [
      { head: 'from', cell: ({ a }: Row) => a.short },
      { head: 'to', cell: ({ b }: Row) => b.short },
      { head: 'through', cell: ({ joint }: Row) => (joint === null ? '?' : jointTexts[joint]) },
      {
        head: 'at most',
        number: true,
        cell: ({ ceiling: { GBps, isComplete } }: Row) =>
          GBps === null ? 'not known' : `${isComplete ? '' : '≤ '}${formatBandwidth(GBps)}`,
      },
      { head: 'set by', cell: ({ ceiling }: Row) => ceiling.limit ?? '–' },
    ],
    shown,
  )}</details>`;
}
