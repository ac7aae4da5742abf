// Waits for quiet machines: counts busy cores by the readings that also flag a cell `cpu-busy` (results/derive/metrics).
import { setTimeout } from 'node:timers/promises';
import { ChannelTable, competingLimit, ranksOfMachine } from '../../results/derive/index.ts';
import { numbersOf } from '../../results/machine/cpu-list.ts';
import type { MetricsLine, RunPlan } from '../../results/schema/index.ts';

/** Time for which every host must stay quiet before measuring starts, ns. */
const quietNs = 3e9;

/** Load of one host during the last seconds. */
export interface HostBusyness {
  host: string;
  /** Number of busy cores; null if its metrics do not show them. */
  cores: number | null;
  of: number;
  /** Number of busy cores below which the host counts as quiet. */
  limit: number;
}

/** CPUs that the agent of a host may use, in the kernel's list format; undefined if the agent does not report them. */
type CpuLookup = (host: string) => string | undefined;

class HostLoadTracker {
  private table: ChannelTable | null = null;
  private cores = 0;
  private indices: number[] = [];
  /** Busy time at each reading, oldest first. At most the first entry is older than `quietNs` before the last one. */
  private ticks: { ns: number; busyNs: number }[] = [];
  private readonly name: string;
  private readonly ranks: number;
  private readonly cpus: CpuLookup;

  /** @param ranks number of ranks on the machine, over all names that it has in the plan */
  constructor(name: string, ranks: number, cpus: CpuLookup) {
    this.name = name;
    this.ranks = ranks;
    this.cpus = cpus;
  }

  take(lines: readonly MetricsLine[]): void {
    for (const line of lines) {
      if ('channels' in line) {
        this.table = new ChannelTable(line.channels);
        const { table } = this;
        const list = this.cpus(this.name);
        const cores = table.cores(list === undefined ? null : new Set(numbersOf(list)));
        this.cores = cores.length;
        this.indices = cores.flatMap((name) =>
          ['user', 'system'].flatMap((quantity) => table.index(name, quantity) ?? []),
        );
      } else if ('values' in line) {
        const busyNs = this.indices.reduce((sum, index) => sum + (line.values[index] ?? 0), 0);
        this.ticks.push({ ns: line.startNs, busyNs });
        while ((this.ticks[1]?.ns ?? Number.POSITIVE_INFINITY) <= line.startNs - quietNs) this.ticks.shift();
      }
    }
  }

  /** True if metrics were read for long enough, or do not show busy cores at all. */
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

/** Watches the metrics of all hosts. No rank runs yet, so any busy core belongs to other programs. */
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

  /** True if every host was read for long enough to judge it. */
  get isKnown(): boolean {
    return [...this.hosts.values()].every(({ isKnown }) => isKnown);
  }

  /** True if every host is below its limit; hosts whose metrics do not show busy cores are ignored. */
  get isQuiet(): boolean {
    return this.isKnown && this.busy().every(({ cores, limit }) => cores === null || cores < limit);
  }

  /** Resolves at the next reading, or after that many seconds. */
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
