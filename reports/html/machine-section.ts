import { nameOfRun } from '../../results/compare/run.ts';
import { detailText, type Inventory, type RunRecord } from '../../results/schema/index.ts';
import { type DocumentBlock, type DocumentText, type TextPart, tableOf } from '../document/blocks.ts';
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

/**
 * Returns the name of the hypervisor for the list of a host's system facts. The record has "virtual machine" if only the processor
 * reports a hypervisor, without its name. Empty for real machines (null).
 */
const guestText = (virtualization: string | null): string[] => {
  if (virtualization === null) return [];
  return [virtualization === 'virtual machine' ? virtualization : `virtual machine (${virtualization})`];
};

/** Returns the chapter about the hosts and the software of each run. */
export const machines = (runs: readonly ReportRun[]): DocumentBlock[] =>
  runs.flatMap(({ record }): DocumentBlock[] => {
    const body = [
      ...Object.entries(record.inventory).map(([name, host]) =>
        hostFacts(record, name, host, runs.length === 1),
      ),
      softwareFacts(record),
      ...ranksTable(record),
    ];
    return runs.length > 1 ? [{ kind: 'section', title: `Run ${nameOfRun(record)}`, body }] : body;
  });

/**
 * Returns the facts about a host: processor, memory, system, network interfaces, log files.
 * @param isBeside true if the report is in the run's folder; names of log files are then links
 */
const hostFacts = (record: RunRecord, name: string, host: Inventory, isBeside: boolean): DocumentBlock => ({
  kind: 'facts',
  facts: [
    ['node', name === host.hostname ? name : `${name} (${host.hostname})`],
    ['processor', `${host.cpuModel}, ${coresText(host)}, ${plural(host.numaNodes, 'NUMA node')}`],
    ['memory', formatBytesAbout(host.memoryBytes)],
    [
      'system',
      [host.os, `kernel ${host.kernel}`, host.architecture, ...guestText(host.virtualization)].join(', '),
    ],
    [
      'interfaces',
      host.interfaces
        .map(
          (n) =>
            `${n.name} (${n.state}, MTU ${n.mtu}${n.speedMbps === null ? '' : `, ${formatCount(n.speedMbps)} Mbit/s`})`,
        )
        .join(', '),
    ],
    ['written there', logFiles(record, name, isBeside)],
  ],
});

const softwareFacts = ({ plan, versions, environment }: RunRecord): DocumentBlock => ({
  kind: 'facts',
  facts: [
    ...plan.transports.map(
      ({ name, detail, medium }) =>
        [`transport ${shortTransport(name)}`, `${detailText(detail)}, ${medium}`] as const,
    ),
    ...Object.entries(versions).map(
      ([name, version]) => [name === 'node' ? 'Node.js' : name, version] as const,
    ),
    ...Object.entries(environment),
  ],
});

const maxLogs = 20;

/**
 * Returns the names of the log files that the agent and the ranks of a host wrote, up to 20; further ones are counted.
 * @param isBeside true if the report is in the run's folder; the names are then links to the files
 */
function logFiles({ logs = [] }: RunRecord, host: string, isBeside: boolean): DocumentText {
  const mine = logs.filter((log) => log.host === host);
  const shown = mine
    .slice(0, maxLogs)
    .flatMap(({ file }, i): TextPart[] => [
      ...(i === 0 ? [] : [', ']),
      isBeside ? { link: encodeURI(file), text: file } : { code: file },
    ]);
  const more = mine.length - Math.min(mine.length, maxLogs);
  return more > 0 ? [...shown, ` and ${plural(more, 'more file', 'more files')} in logs/`] : shown;
}

/** Returns a table of what each rank reported when it started, folded on pages; empty if no launch started its ranks. */
function ranksTable({ launches, plan }: RunRecord): DocumentBlock[] {
  const rows = launches.flatMap((launch) =>
    launch.ranks.map((rank) => ({
      ...rank,
      launch: launch.launch,
      over: plan.transports[launch.transport]?.name ?? '',
      member: plan.groups?.members[launch.group ?? -1]?.name ?? '',
    })),
  );
  if (rows.length === 0) return [];
  const table = tableOf<(typeof rows)[number]>(
    [
      { head: 'launch', align: 'right', cell: ({ launch }) => String(launch + 1) },
      { head: 'over', cell: ({ over }) => shortTransport(over) },
      { head: 'group', cell: ({ member }) => member },
      { head: 'rank', align: 'right', cell: ({ rank }) => String(rank) },
      { head: 'CPUs', cell: ({ cpus, cpu }) => cpus || (cpu == null ? null : String(cpu)) },
      { head: 'memory', cell: ({ memory = '' }) => memory },
      { head: 'medium', cell: ({ medium }) => medium },
      { head: 'device', cell: ({ device }) => device },
      { head: 'detail', cell: ({ detail }) => detailText(detail) },
    ],
    rows,
    { caption: 'Ranks of each launch' },
  );
  return [{ kind: 'folded', summary: 'What each rank reported', body: [table] }];
}

/** Returns the chapter with the command of each run, and with the plan and files that are needed to repeat the run. */
export const reproduceSection = (runs: readonly ReportRun[]): DocumentBlock[] =>
  runs.flatMap((run): DocumentBlock[] => [
    { kind: 'command', text: run.record.plan.command.map(shellWord).join(' ') },
    { kind: 'paragraph', text: run.record.plan.imported === undefined ? planText(run) : importText(run) },
  ]);

function importText({ record: { id, plan } }: ReportRun): DocumentText {
  const { name = '', bytes = 0, sha256 = '' } = plan.imported?.file ?? {};
  return [
    `Run ${id} was imported from ${name} (${bytes} bytes, SHA-256 `,
    { code: sha256 },
    `) as ${plan.imported?.format ?? ''}.`,
  ];
}

function planText({ record, dir }: ReportRun): DocumentText {
  const { plan, id } = record;
  const { launches, seed, timeoutS } = plan.sampling;
  const took = record.endedAt === null ? '' : `, ${formatDuration(secondsTaken(record))}`;
  return [
    `Plan of run ${id}: ${plural(plan.points.length, 'point')} over ${plural(plan.transports.length, 'transport')}, ${plural(launches, 'launch', 'launches')}, seed ${seed}, deadline ${timeoutS} s per block${took}. The plan, every raw sample and this report’s numbers are in `,
    { code: dir.slice(dir.lastIndexOf('/') + 1) },
    ': ',
    { code: 'run.json' },
    ' holds plan and machine, ',
    { code: 'cells.ndjson' },
    ' one line per configuration, ',
    { code: 'figures/' },
    ' the charts as SVG and CSV. The Vega-Lite specification of each chart is inside this page as ',
    { code: 'application/json' },
    '.',
  ];
}
