// Reduces the readings of a host to its use of processors, memory and GPUs.
import { mean, sum } from 'simple-statistics';
import {
  ChannelTable,
  core,
  cpuQuantities,
  gpu,
  type MetricsSeries,
} from '../../results/derive/metrics/index.ts';
import type { MetricsTick } from '../../results/schema/index.ts';

/** A quantity to which a reading is reduced, before readings are aligned with blocks. */
export interface ReadingSource {
  unit: string;
  cumulative: boolean;
  /** Combines the values of all channels; none is missing. */
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
  head: string;
  unit: string;
  of: ReadingSource;
  /** Quantity of which the value is a share; absent = the value is no share. */
  by?: ReadingSource;
}

export const quantities: readonly UsageQuantity[] = [
  { name: 'cpu', head: 'CPU (%)', unit: '%', of: busy, by: whole },
  { name: 'memory', head: 'Memory (%)', unit: '%', of: memory },
  { name: 'gpu', head: 'GPU (%)', unit: '%', of: gpuBusy },
  { name: 'gpuMemory', head: 'Memory of a GPU (GiB)', unit: 'GiB', of: gpuMemory },
];
export const sources = quantities.flatMap(({ of, by }) => (by === undefined ? [of] : [of, by]));

/** Returns a function that reduces a reading from hundreds of channels to five values. */
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
