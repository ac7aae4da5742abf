import { mean, sum } from 'simple-statistics';
import { ChannelTable, core, gpu, rankProcess } from '../../results/derive/metrics/index.ts';
import type { MetricsChannel } from '../../results/schema/index.ts';

/** What one line shows: a number made of some channels at once. */
export interface LineSource {
  name: string;
  /** Indices of the channels, each read as a rate per second where it counts up. */
  channels: number[];
  /** Of the values of all channels, none missing. */
  combine(values: readonly number[]): number;
}

/** One chart of the small multiples of a host. */
export interface PanelSource {
  id: string;
  title: string;
  lines: LineSource[];
}

const inCores = (values: readonly number[]): number => sum(values) / 1e9;
/** Interfaces with lines of their own, those that carried most. */
const mostInterfaces = 2;
/** Of what the busiest carried: less would be a line at zero. */
const leastShare = 0.01;

/** Rows of the table: what is drawn where its channels are there. */
const panelTable: readonly ((table: ChannelTable, carried: (index: number) => number) => PanelSource)[] = [
  (table) => ({
    id: 'cpu',
    title: `busy cores, of ${table.objects(core).length}`,
    lines: [
      { name: 'all', channels: table.all(core, busy), combine: inCores },
      { name: 'ranks', channels: table.all(rankProcess, ['cpuNs']), combine: inCores },
    ],
  }),
  (table, carried) => {
    const objects = busiest(table, carried);
    const only = objects.length === 1 ? ` ${objects[0]?.replace(/^net\./, '')}` : '';
    return {
      id: 'network',
      title: `network${only}, GB/s`,
      lines: objects.flatMap((object) => directions(table, object)),
    };
  },
  (table) => ({
    id: 'nvlink',
    title: `NVLink, GB/s${several(table)}`,
    lines: [
      { name: 'received', channels: table.all(gpu, ['nvlinkRxBytes']), combine: (v) => sum(v) / 1e9 },
      { name: 'sent', channels: table.all(gpu, ['nvlinkTxBytes']), combine: (v) => sum(v) / 1e9 },
    ],
  }),
  (table) => ({
    id: 'memory',
    title: 'memory in use, GiB',
    lines: [
      {
        name: 'memory',
        channels: ['total', 'available'].flatMap((quantity) => table.index('memory', quantity) ?? []),
        combine: ([total = 0, available]) => (total - (available ?? total)) / 2 ** 30,
      },
    ],
  }),
  (table) => ({
    id: 'gpu-power',
    title: `GPU power, W${several(table)}`,
    lines: [{ name: 'power', channels: table.all(gpu, ['powerMilliwatt']), combine: (v) => sum(v) / 1e3 }],
  }),
  (table) => ({
    id: 'gpu-clock',
    title: 'SM clock, MHz',
    lines: [
      { name: 'fastest GPU', channels: table.all(gpu, ['smClockMHz']), combine: (v) => Math.max(...v) },
      { name: 'slowest GPU', channels: table.all(gpu, ['smClockMHz']), combine: (v) => Math.min(...v) },
    ],
  }),
  (table) => ({
    id: 'gpu-busy',
    title: `GPU utilisation, %${table.objects(gpu).length > 1 ? ', mean' : ''}`,
    lines: [{ name: 'utilisation', channels: table.all(gpu, ['utilizationPercent']), combine: mean }],
  }),
];

const busy = ['user', 'system', 'irq', 'softirq', 'steal'];

const several = (table: ChannelTable): string => {
  const gpus = table.objects(gpu).length;
  return gpus > 1 ? `, all ${gpus}` : '';
};

function directions(table: ChannelTable, object: string): LineSource[] {
  const name = object.replace(/^net\./, '');
  const line = (word: string, quantity: string): LineSource[] => {
    const index = table.index(object, quantity);
    return index === undefined
      ? []
      : [{ name: `${name}${word}`, channels: [index], combine: (values) => sum(values) / 1e9 }];
  };
  // What the loopback sends it receives.
  return name === 'lo' ? line('', 'rxBytes') : [...line(' received', 'rxBytes'), ...line(' sent', 'txBytes')];
}

function busiest(table: ChannelTable, carried: (index: number) => number): string[] {
  return table
    .objects(/./)
    .map((object) => ({
      object,
      bytes: sum(
        ['rxBytes', 'txBytes'].flatMap((quantity) => {
          const index = table.index(object, quantity);
          return index === undefined ? [] : [carried(index)];
        }),
      ),
    }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, mostInterfaces)
    .filter(({ bytes }, _i, [most]) => bytes > leastShare * (most?.bytes ?? 0))
    .map(({ object }) => object);
}

/**
 * What is drawn of a host.
 * @param carried growth of a counter over the whole run
 */
export function panelsOf(
  channels: readonly MetricsChannel[],
  carried: (index: number) => number,
): PanelSource[] {
  const table = new ChannelTable(channels);
  return panelTable
    .map((row) => row(table, carried))
    .map((panel) => ({ ...panel, lines: panel.lines.filter((line) => line.channels.length > 0) }))
    .filter(({ lines }) => lines.length > 0);
}
