// Computes the use of processors, memory and GPUs from the readings of a host's system load.
import { mean, sum } from 'simple-statistics';
import type { MetricsSeries } from '../../results/derive/metrics/load.ts';
import { ChannelTable, core, cpuQuantities, gpu } from '../../results/derive/metrics/names.ts';
import type { MetricsTick } from '../../results/schema/index.ts';

/**
 * A quantity such as CPU time, computed from the recorded channels of a host's system load (a channel is one counter or gauge that
 * is read repeatedly). `channels`: returns the indices of the channels that it needs; `cumulative`: true for a counter; `unit`:
 * unit of the counter, '' for a gauge. Readings are reduced to a few such quantities before they are matched in time with the
 * measured blocks.
 */
export interface ReadingSource {
  unit: string;
  cumulative: boolean;
  /**
   * Combines the values that all needed channels have in one reading into one; those of counters are counts since their start, not
   * rates. Called only if no value is missing.
   */
  combine(values: readonly number[]): number;
  channels(table: ChannelTable): number[];
}

const idle: readonly string[] = ['idle', 'iowait'];
const gauge = { cumulative: false, unit: '' };
const counter = { cumulative: true, unit: 'ns', combine: sum };

const busy: ReadingSource = {
  ...counter,
  channels: (table) =>
    table.all(
      core,
      cpuQuantities.filter((one) => !idle.includes(one)),
    ),
};
const whole: ReadingSource = { ...counter, channels: (table) => table.all(core, cpuQuantities) };
const memory: ReadingSource = {
  ...gauge,
  channels: (table) => ['total', 'available'].flatMap((one) => table.index('memory', one) ?? []),
  combine: ([all = 0, free = 0]) => 100 * (1 - free / all),
};
const gpuBusy: ReadingSource = {
  ...gauge,
  channels: (table) => table.all(gpu, ['utilizationPercent']),
  combine: mean,
};
const gpuMemory: ReadingSource = {
  ...gauge,
  channels: (table) => table.all(gpu, ['memoryUsedBytes']),
  combine: (values) => mean(values) / 2 ** 30,
};

export interface UsageQuantity {
  name: string;
  title: string;
  unit: string;
  of: ReadingSource;
  /** Quantity of which the value is a share, such as all CPU time; absent = the value is not divided by another quantity. */
  by?: ReadingSource;
}

export const quantities: readonly UsageQuantity[] = [
  { name: 'cpu', title: 'CPU', unit: '%', of: busy, by: whole },
  { name: 'memory', title: 'Memory', unit: '%', of: memory },
  { name: 'gpu', title: 'GPU', unit: '%', of: gpuBusy },
  { name: 'gpuMemory', title: 'Memory of a GPU', unit: 'GiB', of: gpuMemory },
];
export const sources = quantities.flatMap(({ of, by }) => (by === undefined ? [of] : [of, by]));

/**
 * Returns a function that reduces a reading of a host's system load (hundreds of counters and gauges) to one value for each element
 * of `sources`, in that order. A value is null if a counter or gauge that it needs is missing.
 */
export function reduceReadings({ header }: MetricsSeries): (tick: MetricsTick) => MetricsTick {
  const table = new ChannelTable(header.channels);
  const all = sources.map((source) => source.channels(table));
  return (tick) => ({
    ...tick,
    values: all.map((channels, i) => {
      const values = channels.flatMap((channel) => tick.values[channel] ?? []);
      return values.length < channels.length || values.length === 0
        ? null
        : (sources[i]?.combine(values) ?? null);
    }),
  });
}
