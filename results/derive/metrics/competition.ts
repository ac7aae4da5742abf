import type { MetricsTick } from '../../schema/index.ts';
import type { LoadAlignment } from './align.ts';
import { type ChannelTable, rankProcess } from './names.ts';

/**
 * An interval between readings is used only if this share of it was measured. Otherwise collbench's own work between blocks hides
 * other processes.
 */
const leastMeasured = 0.25;

/**
 * Computes a lower bound of the number of cores that other processes used while a cell was measured: the CPU time of the cores
 * that ranks may use (user and system), minus the CPU time of the ranks, minus all time between blocks. Between blocks
 * collbench's own controller or agent works, one thread at a time. Interrupts are left out, because those of the network serve
 * the ranks.
 */
export class CoreCompetition {
  private readonly busy: number[];
  private readonly ranks: number[];
  private readonly alignment: LoadAlignment;
  private before: { ns: number; busyNs: number; ranks: readonly (number | null)[] } | null = null;
  private readonly cells = new Map<number, { ns: number; coreNs: number }>();

  /** @param cores channel names of the cores to watch: "cpu3" */
  constructor(table: ChannelTable, alignment: LoadAlignment, cores: readonly string[] = table.cores()) {
    this.busy = cores.flatMap((name) =>
      ['user', 'system'].flatMap((quantity) => table.index(name, quantity) ?? []),
    );
    this.ranks = table.all(rankProcess, ['cpuNs']);
    this.alignment = alignment;
  }

  take({ startNs, values }: MetricsTick): void {
    const before = this.before;
    const busyNs = total(values, this.busy);
    const ranks = this.ranks.map((index) => values[index] ?? null);
    this.before = busyNs === null ? null : { ns: startNs, busyNs, ranks };
    if (before === null || busyNs === null) return;
    const lengthNs = startNs - before.ns;
    const ranksNs = grown(before.ranks, ranks);
    if (ranksNs === null) return;
    const measuredNs = this.alignment.measured(before.ns, startNs);
    if (measuredNs < leastMeasured * lengthNs) return;
    const others = busyNs - before.busyNs - ranksNs;
    const cores = Math.max(0, others - (lengthNs - measuredNs)) / lengthNs;
    for (const { cell, ns } of this.alignment.overlaps(before.ns, startNs)) {
      const so = this.cells.get(cell) ?? { ns: 0, coreNs: 0 };
      this.cells.set(cell, { ns: so.ns + ns, coreNs: so.coreNs + cores * ns });
    }
  }

  /**
   * Returns the mean number of cores that other processes used. Null if no ranks are recorded on this host, or if the cell is too
   * short for the reading interval.
   */
  of(cell: number): number | null {
    const so = this.cells.get(cell);
    return so === undefined || so.ns === 0 ? null : so.coreNs / so.ns;
  }
}

/** Returns the sum of the values with these indices; null if one value is missing, or if there are no indices. */
function total(values: MetricsTick['values'], indices: readonly number[]): number | null {
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
 * Returns by how much the counters grew together. Null if no rank process existed, or if processes started or ended between the
 * readings.
 */
function grown(before: readonly (number | null)[], after: readonly (number | null)[]): number | null {
  let sum: number | null = null;
  for (const [i, end] of after.entries()) {
    const start = before[i] ?? null;
    if ((start === null) !== (end === null)) return null;
    if (start !== null && end !== null) sum = (sum ?? 0) + end - start;
  }
  return sum;
}
