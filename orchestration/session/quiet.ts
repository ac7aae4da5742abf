// Waits for quiet machines: counts busy cores by the readings that also flag a cell `cpu-busy` (results/derive/metrics).
import { setTimeout } from 'node:timers/promises';
import { ChannelTable, competingLimit } from '../../results/derive/index.ts';
import { numbersOf } from '../../results/fold.ts';
import { type MetricsLine, type RunPlan, ranksOfMachine } from '../../results/schema/index.ts';

/** Time in ns for which all hosts must be quiet before measuring starts. */
const quietNs = 3e9;

/**
 * Two readings that are further apart than this many intervals, and than `minGapNs`, show that the machine stood still, such as a
 * virtual machine that the hypervisor stopped: its cores then look less busy than they were.
 */
const gapIntervals = 5;
const minGapNs = 1.5e9;

/**
 * Number of busy cores of one host during the last `quietNs`, and its limit. `of`: number of cores that ranks may use; 0 = not
 * known yet.
 */
export interface HostBusyness {
  host: string;
  /** Mean number of busy cores; null if the host's metrics do not show it, or there are fewer than two readings. */
  cores: number | null;
  of: number;
  /** Number of busy cores below which the host is regarded as quiet. */
  limit: number;
}

/**
 * Returns the CPUs that the agent of a host may use, in the kernel's list format; undefined if the agent does not report them.
 */
type CpuLookup = (host: string) => string | undefined;

class HostLoadTracker {
  private table: ChannelTable | null = null;
  private cores = 0;
  private indices: number[] = [];
  /** Longest time in ns between two readings; after a longer one the machine stood still, and nothing before it counts. */
  private maxGapNs = Number.POSITIVE_INFINITY;
  /**
   * Readings of the last `quietNs`, oldest first: time of the reading, and CPU time of all cores since boot (busy, ns). One
   * older reading is kept, so that the readings cover the whole period.
   */
  private ticks: { ns: number; busyNs: number }[] = [];
  private readonly name: string;
  private readonly ranks: number;
  private readonly cpus: CpuLookup;

  /** @param ranks number of ranks on the machine, over all host names in the plan that belong to this machine */
  constructor(name: string, ranks: number, cpus: CpuLookup) {
    this.name = name;
    this.ranks = ranks;
    this.cpus = cpus;
  }

  take(lines: readonly MetricsLine[]): void {
    for (const line of lines) {
      if ('channels' in line) {
        this.table = new ChannelTable(line.channels);
        this.maxGapNs = Math.max(minGapNs, gapIntervals * line.intervalUs * 1000);
        const { table } = this;
        const list = this.cpus(this.name);
        const cores = table.cores(list === undefined ? null : new Set(numbersOf(list)));
        this.cores = cores.length;
        this.indices = cores.flatMap((name) =>
          ['user', 'system'].flatMap((quantity) => table.index(name, quantity) ?? []),
        );
      } else if ('values' in line) {
        const busyNs = this.indices.reduce((sum, index) => sum + (line.values[index] ?? 0), 0);
        if (line.startNs - (this.ticks.at(-1)?.ns ?? line.startNs) > this.maxGapNs) this.ticks = [];
        this.ticks.push({ ns: line.startNs, busyNs });
        while ((this.ticks[1]?.ns ?? Number.POSITIVE_INFINITY) <= line.startNs - quietNs) this.ticks.shift();
      }
    }
  }

  /** True if it is known whether the host is quiet: metrics were read for `quietNs`, or do not show busy cores at all. */
  get isKnown(): boolean {
    if (this.table === null) return false;
    const [first] = this.ticks;
    const last = this.ticks.at(-1);
    return (
      this.indices.length === 0 ||
      (first !== undefined && last !== undefined && last.ns - first.ns >= quietNs)
    );
  }

  get busy(): HostBusyness {
    const [first] = this.ticks;
    const last = this.ticks.at(-1);
    const isRead = this.indices.length > 0 && first !== undefined && last !== undefined && last.ns > first.ns;
    return {
      host: this.name,
      cores: isRead ? (last.busyNs - first.busyNs) / (last.ns - first.ns) : null,
      of: this.cores,
      limit: competingLimit(this.cores, this.ranks),
    };
  }
}

/**
 * Watches the CPU load of all hosts before measuring starts. No rank runs then, so busy cores are used by other programs. It reads
 * nothing itself: the caller passes metrics lines to take().
 */
export class QuietWatch {
  private readonly hosts: ReadonlyMap<string, HostLoadTracker>;
  private wake: () => void = () => undefined;

  constructor(hosts: RunPlan['hosts'], cpus: CpuLookup = () => undefined) {
    this.hosts = new Map(
      hosts.map(({ name }) => [name, new HostLoadTracker(name, ranksOfMachine(hosts, name).length, cpus)]),
    );
  }

  take(host: string, lines: readonly MetricsLine[]): void {
    this.hosts.get(host)?.take(lines);
    this.wake();
  }

  busy(): HostBusyness[] {
    return [...this.hosts.values()].map(({ busy }) => busy);
  }

  /** True if it is known for every host whether it is quiet: its metrics were read for `quietNs`, or do not show busy cores. */
  get isKnown(): boolean {
    return [...this.hosts.values()].every(({ isKnown }) => isKnown);
  }

  /**
   * True if the number of busy cores of every host is below its limit; false while isKnown is false. Hosts whose
   * metrics do not show busy cores are ignored.
   */
  get isQuiet(): boolean {
    return this.isKnown && this.busy().every(({ cores, limit }) => cores === null || cores < limit);
  }

  /** Resolves when the next metric reading of any host arrives, or after `seconds` without one. Never rejects. */
  async next(seconds: number): Promise<void> {
    const ending = new AbortController();
    const read = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    try {
      await Promise.race([
        read,
        setTimeout(Math.max(0, seconds) * 1000, undefined, { signal: ending.signal }),
      ]);
    } finally {
      ending.abort();
    }
  }
}
