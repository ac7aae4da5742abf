// Table of the hosts, adapters and software versions with which the figures were measured.

import type { Inventory } from '../../results/schema/index.ts';
import { detailText } from '../../results/schema/index.ts';
import type { ReportRun } from '../series.ts';
import { coresText, formatBytesAbout, joinWords, plural, shortTransport } from '../wording.ts';
import { maxRunIds, placeText } from './captions.ts';
import { type FigureInput, mediumTexts } from './gather.ts';
import type { PaperTable } from './paper.ts';

type HardwareFact = readonly [name: string, text: string];

const speedText = (mbps: number | null): string =>
  mbps === null ? 'speed not known' : mbps >= 1000 ? `${mbps / 1000} Gbit/s` : `${mbps} Mbit/s`;

function machineFacts(one: Inventory): HardwareFact[] {
  const interfaces = one.interfaces.filter(({ name, state }) => name !== 'lo' && state === 'up');
  return [
    ['CPU', `${one.cpuModel}, ${coresText(one)}, ${plural(one.numaNodes, 'NUMA node')}`],
    ['RAM', formatBytesAbout(one.memoryBytes)],
    [
      'NIC',
      interfaces.map(({ name, speedMbps }) => `${name} (${speedText(speedMbps)})`).join(', ') || 'none up',
    ],
    [
      'System',
      `${one.os}, Linux ${one.kernel}${one.virtualization === null ? '' : `, ${one.virtualization}`}`,
    ],
  ];
}

function runFacts({ record }: ReportRun): HardwareFact[] {
  const { plan, versions } = record;
  const gpus = versions.gpus;
  const names = ['collbench', 'nccl', 'nvshmem', 'mpi', 'torch', 'tensorflow', 'driver', 'driver.cuda'];
  return [
    ...(gpus === undefined ? [] : [['GPU', gpus] as const]),
    ['Engine', plan.engine],
    ...plan.transports.map(
      ({ name, medium, detail }): HardwareFact => [
        `Transport ${shortTransport(name)}`,
        `${detailText(detail)} (${mediumTexts[medium]})`,
      ],
    ),
    [
      'Versions',
      names.flatMap((name) => (versions[name] === undefined ? [] : [`${name} ${versions[name]}`])).join(', '),
    ],
  ];
}

/**
 * Returns the facts about hosts and software of a run as rows of a table, without its number of ranks. Hosts with equal facts are
 * listed once.
 */
function factsOf(run: ReportRun): HardwareFact[] {
  const byFacts = new Map<string, string[]>();
  for (const [host, inventory] of Object.entries(run.record.inventory)) {
    const key = JSON.stringify(machineFacts(inventory));
    byFacts.set(key, [...(byFacts.get(key) ?? []), host]);
  }
  const machines = [...byFacts].flatMap(([key, hosts]): HardwareFact[] => [
    ['Node', hosts.length === 1 ? `${hosts[0]}` : `${hosts.length} alike: ${joinWords(hosts)}`],
    ...(JSON.parse(key) as HardwareFact[]),
  ]);
  return [...machines, ...runFacts(run)];
}

export const hardware = ({ runs }: FigureInput): PaperTable[] => {
  const sets = new Map<string, ReportRun[]>();
  for (const run of runs) {
    const key = JSON.stringify(factsOf(run));
    sets.set(key, [...(sets.get(key) ?? []), run]);
  }
  const several = sets.size > 1;
  const cells = [...sets].flatMap(([key, of]) => [
    ...(several ? [['Runs', of.map(({ record }) => record.id).join(', ')]] : []),
    ...(JSON.parse(key) as HardwareFact[]).map(([name, text]) => [name, text]),
    ['Ranks', placeText(of)],
  ]);
  if (cells.length === 0) return [];
  return [
    {
      kind: 'table',
      name: 'hardware',
      title: 'Hardware and software of each node',
      caption: `As the machines report it. ${runs.length > maxRunIds ? `${runs.length} runs, named in the data` : `${runs.length === 1 ? 'Run' : 'Runs'} ${joinWords(runs.map(({ record }) => record.id))}`}.`,
      columns: [{ head: 'Name' }, { head: 'Description' }],
      cells,
      rows: [...sets].flatMap(([key, of]) =>
        of.flatMap((run) =>
          [...(JSON.parse(key) as HardwareFact[]), ['Ranks', placeText([run])]].map(
            ([name, description]) => ({
              ...{ run: run.record.id, name, description },
            }),
          ),
        ),
      ),
    },
  ];
};
