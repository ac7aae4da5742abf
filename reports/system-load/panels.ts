import { mean, sum } from 'simple-statistics';
import {
  ChannelTable,
  core,
  gpu,
  interfaceOfObject,
  rankProcess,
} from '../../results/derive/metrics/names.ts';
import type { MetricsChannel } from '../../results/schema/index.ts';

/**
 * One line of a system load chart: a number computed from one or several recorded channels. A channel is one quantity that is read
 * repeatedly, such as the bytes received by one interface.
 */
export interface LineSource {
  name: string;
  /** Indices of the recorded channels. If a channel is a counter, its readings are first converted to rates per second. */
  channels: number[];
  /** Combines the values of all channels at one time into one number; called only if no value is missing. */
  combine(values: readonly number[]): number;
}

/** One panel of the system load chart of a host, such as "busy cores", with its lines. */
export interface PanelSource {
  title: string;
  lines: LineSource[];
}

const inCores = (values: readonly number[]): number => sum(values) / 1e9;
/** Maximum number of network interfaces that the chart shows; those with most traffic are chosen. */
const maxInterfaces = 2;
/**
 * Minimum traffic of an interface that the chart shows, as a share of the busiest interface's traffic. Lines of interfaces with
 * less traffic would stay near zero.
 */
const minShare = 0.01;

/**
 * Functions that each return one panel of the chart, in drawing order. A panel is not drawn if the host recorded none of its
 * channels. `carried` returns by how much the counter with this channel index grew during the run.
 */
const panelTable: readonly ((table: ChannelTable, carried: (index: number) => number) => PanelSource)[] = [
  (table) => ({
    title: `busy cores, of ${table.objects(core).length}`,
    lines: [
      { name: 'all', channels: table.all(core, busy), combine: inCores },
      { name: 'ranks', channels: table.all(rankProcess, ['cpuNs']), combine: inCores },
    ],
  }),
  (table, carried) => {
    const objects = busiest(table, carried);
    const only = objects.length === 1 ? ` ${objects.map(interfaceOfObject).join('')}` : '';
    return {
      title: `network${only}, GB/s`,
      lines: objects.flatMap((object) => directions(table, object)),
    };
  },
  (table) => ({
    title: `NVLink, GB/s${several(table)}`,
    lines: [
      { name: 'received', channels: table.all(gpu, ['nvlinkRxBytes']), combine: (v) => sum(v) / 1e9 },
      { name: 'sent', channels: table.all(gpu, ['nvlinkTxBytes']), combine: (v) => sum(v) / 1e9 },
    ],
  }),
  (table) => ({
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
    title: `GPU power, W${several(table)}`,
    lines: [{ name: 'power', channels: table.all(gpu, ['powerMilliwatt']), combine: (v) => sum(v) / 1e3 }],
  }),
  (table) => ({
    title: 'SM clock, MHz',
    lines: [
      { name: 'fastest GPU', channels: table.all(gpu, ['smClockMHz']), combine: (v) => Math.max(...v) },
      { name: 'slowest GPU', channels: table.all(gpu, ['smClockMHz']), combine: (v) => Math.min(...v) },
    ],
  }),
  (table) => ({
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
  const name = interfaceOfObject(object);
  const line = (word: string, quantity: string): LineSource[] => {
    const index = table.index(object, quantity);
    return index === undefined
      ? []
      : [{ name: `${name}${word}`, channels: [index], combine: (values) => sum(values) / 1e9 }];
  };
  // The loopback interface receives what it sends, so one direction is enough.
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
    .slice(0, maxInterfaces)
    .filter(({ bytes }, _i, [most]) => bytes > minShare * (most?.bytes ?? 0))
    .map(({ object }) => object);
}

/**
 * Returns the panels of the system load chart for the channels that a host recorded.
 * @param carried returns by how much the counter with this channel index grew during the run
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
