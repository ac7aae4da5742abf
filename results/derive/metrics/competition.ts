import type { MetricsTick } from '../../schema/index.ts';
import type { LoadAlignment } from './align.ts';
import { type ChannelTable, rankProcess } from './names.ts';

/**
 * The time between two readings of the system load is used only if operations were measured in at least this share of it: in the
 * rest collbench itself works, which would look like work of other processes.
 */
const minMeasuredShare = 0.25;

/**
 * Estimates for one host, as a lower bound, how many CPU cores other processes used while each configuration was measured: CPU time
 * (user, system) of the cores that ranks may use, minus the CPU time of the ranks, minus the time between blocks, in which
 * collbench itself works.
 */
export class CoreCompetition {
  private readonly busy: number[];
  private readonly ranks: number[];
  private readonly alignment: LoadAlignment;
  private before: { ns: number; busyNs: number; ranks: readonly (number | null)[] } | null = null;
  private readonly cells = new Map<number, { ns: number; coreNs: number }>();

  /** @param cores names of the CPU cores to watch, as in the metrics: "cpu3"; absent = all cores of the host */
  constructor(table: ChannelTable, alignment: LoadAlignment, cores: readonly string[] = table.cores()) {
    this.busy = cores.flatMap((name) =>
      ['user', 'system'].flatMap((quantity) => table.index(name, quantity) ?? []),
    );
    this.ranks = table.all(rankProcess, ['cpuNs']);
    this.alignment = alignment;
  }

  take({ startNs, values }: MetricsTick): void {
    const before = this.before;
    const busyNs = sumOfChannels(values, this.busy);
    const ranks = this.ranks.map((index) => values[index] ?? null);
    this.before = busyNs === null ? null : { ns: startNs, busyNs, ranks };
    if (before === null || busyNs === null) return;
    const lengthNs = startNs - before.ns;
    const ranksNs = rankCpuGrowth(before.ranks, ranks);
    if (ranksNs === null) return;
    const measuredNs = this.alignment.measured(before.ns, startNs);
    if (measuredNs < minMeasuredShare * lengthNs) return;
    const others = busyNs - before.busyNs - ranksNs;
    const cores = Math.max(0, others - (lengthNs - measuredNs)) / lengthNs;
    for (const { cell, ns } of this.alignment.overlaps(before.ns, startNs)) {
      const so = this.cells.get(cell) ?? { ns: 0, coreNs: 0 };
      this.cells.set(cell, { ns: so.ns + ns, coreNs: so.coreNs + cores * ns });
    }
  }

  /**
   * Returns the mean number of CPU cores that other processes used, as far as readings were added. Null if the CPU time of the
   * cores or of the ranks was not read on this host, or if the configuration was measured for too short a part of the time between
   * readings.
   * @param cell index of the configuration
   */
  of(cell: number): number | null {
    const so = this.cells.get(cell);
    return so === undefined || so.ns === 0 ? null : so.coreNs / so.ns;
  }
}

/** Returns the sum of the values at these indices of one reading; null if one of them is missing or `indices` is empty. */
function sumOfChannels(values: MetricsTick['values'], indices: readonly number[]): number | null {
  if (indices.length === 0) return null;
  let sum = 0;
  for (const index of indices) {
    const value = values[index];
    if (value === null || value === undefined) return null;
    sum += value;
  }
  return sum;
}

/**
 * Returns the CPU time, ns, that all ranks used between two readings. Null if no rank process existed, or if one started or ended
 * meanwhile.
 */
function rankCpuGrowth(before: readonly (number | null)[], after: readonly (number | null)[]): number | null {
  let sum: number | null = null;
  for (const [i, end] of after.entries()) {
    const start = before[i] ?? null;
    if ((start === null) !== (end === null)) return null;
    if (start !== null && end !== null) sum = (sum ?? 0) + end - start;
  }
  return sum;
}
