import { nameOfRun } from '../../results/compare/run.ts';
import type { RunRecord } from '../../results/schema/index.ts';
import { detailText } from '../../results/schema/index.ts';
import { secondsTaken } from '../resume-lines.ts';
import type { ReportRun } from '../series.ts';
import {
  coresText,
  formatBytesAbout,
  formatCount,
  formatDuration,
  plural,
  shellWord,
  shortTransport,
} from '../wording.ts';
import { factList, html, type SafeHtml, table } from './markup.ts';

/**
 * Returns the name of the hypervisor as text. The record has "virtual machine" if only the processor reports a hypervisor,
 * without its name. Empty for real machines (null).
 */
const guestText = (virtualization: string | null): string[] => {
  if (virtualization === null) return [];
  return [virtualization === 'virtual machine' ? virtualization : `virtual machine (${virtualization})`];
};

export function machines(runs: readonly ReportRun[]): SafeHtml {
  return html`${runs.map(
    ({ record }) => html`${runs.length > 1 ? html`<h3>Run ${nameOfRun(record)}</h3>` : ''}
${Object.entries(record.inventory).map(([name, i]) =>
  factList([
    ['node', name === i.hostname ? name : `${name} (${i.hostname})`],
    ['processor', `${i.cpuModel}, ${coresText(i)}, ${plural(i.numaNodes, 'NUMA node')}`],
    ['memory', formatBytesAbout(i.memoryBytes)],
    ['system', [i.os, `kernel ${i.kernel}`, i.architecture, ...guestText(i.virtualization)].join(', ')],
    [
      'interfaces',
      i.interfaces
        .map(
          (n) =>
            `${n.name} (${n.state}, MTU ${n.mtu}${n.speedMbps === null ? '' : `, ${formatCount(n.speedMbps)} Mbit/s`})`,
        )
        .join(', '),
    ],
    ['written there', logLinks(record, name, runs.length === 1)],
  ]),
)}
${factList([
  ...record.plan.transports.map(
    (t) => [`transport ${shortTransport(t.name)}`, `${detailText(t.detail)}, ${t.medium}`] as const,
  ),
  ...Object.entries(record.versions).map(([k, v]) => [k === 'node' ? 'Node.js' : k, v] as const),
  ...Object.entries(record.environment),
])}
${ranksTable(record)}`,
  )}`;
}

const maxLogs = 20;

/**
 * Returns the names of the log files that the agent and the ranks of a host wrote, up to 20; further ones are counted.
 * @param isBeside true if the report is in the run's folder; the names are then links
 */
function logLinks({ logs = [] }: RunRecord, host: string, isBeside: boolean): SafeHtml {
  const mine = logs.filter((log) => log.host === host);
  const shown = mine.slice(0, maxLogs).map(({ file }, i) => {
    const name = html`<code>${file}</code>`;
    return html`${i === 0 ? '' : ', '}${isBeside ? html`<a href="${encodeURI(file)}">${name}</a>` : name}`;
  });
  const more = mine.length - shown.length;
  return html`${shown}${more > 0 ? ` and ${plural(more, 'more file', 'more files')} in logs/` : ''}`;
}

function ranksTable(record: RunRecord): SafeHtml {
  const rows = record.launches.flatMap((l) =>
    l.ranks.map((r) => ({
      ...r,
      launch: l.launch,
      setupNs: l.setupNs,
      over: record.plan.transports[l.transport]?.name ?? '',
      member: record.plan.groups?.members[l.group ?? -1]?.name ?? '',
    })),
  );
  if (rows.length === 0) return html``;
  type R = (typeof rows)[number];
  return html`<details><summary>What each rank reported</summary>${table(
    'Ranks of each launch',
    [
      { head: 'launch', number: true, cell: (r: R) => r.launch + 1 },
      { head: 'over', cell: (r: R) => shortTransport(r.over) },
      ...(record.plan.groups === undefined ? [] : [{ head: 'group', cell: (r: R) => r.member }]),
      { head: 'rank', number: true, cell: (r: R) => r.rank },
      { head: 'CPUs', cell: (r: R) => r.cpus || (r.cpu ?? '–') },
      ...(rows.some((r) => r.memory) ? [{ head: 'memory', cell: (r: R) => r.memory ?? '' }] : []),
      { head: 'medium', cell: (r: R) => r.medium },
      { head: 'device', cell: (r: R) => r.device },
      { head: 'detail', cell: (r: R) => detailText(r.detail) },
    ],
    rows,
  )}</details>`;
}

export function reproduceSection(runs: readonly ReportRun[]): SafeHtml {
  return html`${runs.map(({ record, dir }) => {
    const { plan } = record;
    if (plan.imported !== undefined) {
      return html`<pre>${plan.command.map(shellWord).join(' ')}</pre>
<p>Run ${record.id} was imported from ${plan.imported.file.name} (${plan.imported.file.bytes} bytes, SHA-256 <code>${plan.imported.file.sha256}</code>) as ${plan.imported.format}.</p>`;
    }
    const took = record.endedAt === null ? '' : `, ${formatDuration(secondsTaken(record))}`;
    return html`<pre>${plan.command.map(shellWord).join(' ')}</pre>
<p>Plan of run ${record.id}: ${plural(plan.points.length, 'point')} over ${plural(plan.transports.length, 'transport')}, ${plural(plan.sampling.launches, 'launch', 'launches')}, seed ${plan.sampling.seed}, deadline ${plan.sampling.timeoutS} s per block${took}. The plan, every raw sample and this report’s numbers are in <code>${dir.slice(dir.lastIndexOf('/') + 1)}</code>: <code>run.json</code> holds plan and machine, <code>cells.ndjson</code> one line per configuration, <code>figures/</code> the charts as SVG and CSV. The Vega-Lite specification of each chart is inside this page as <code>application/json</code>.</p>`;
  })}`;
}
