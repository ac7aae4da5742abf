// Whether the machines are quiet: cores kept busy, by the readings that flag a cell `cpu-busy` (results/derive/metrics).
import { setTimeout } from 'node:timers/promises';
import { ChannelTable, competingLimit, ranksOfMachine } from '../../results/derive/index.ts';
import { numbersOf } from '../../results/machine/cpu-list.ts';
import type { MetricsLine, RunPlan } from '../../results/schema/index.ts';

/** So long must all machines have been quiet. */
const quietNs = 3e9;

/** One host, over the last seconds. */
export interface HostBusyness {
  host: string;
  /** Busy cores; null = its readings do not show them. */
  cores: number | null;
  of: number;
  /** Quiet is below. */
  limit: number;
}

/** CPUs that agents may use, as the kernel lists them; undefined = an agent that cannot tell. */
type CpuLookup = (host: string) => string | undefined;

class HostLoadTracker {
  private table: ChannelTable | null = null;
  private cores = 0;
  private indices: number[] = [];
  /** Oldest first; the second lies within `quietNs` of the last. */
  private ticks: { ns: number; busyNs: number }[] = [];
  private readonly name: string;
  private readonly ranks: number;
  private readonly cpus: CpuLookup;

  /** @param ranks of the machine, under whatever names */
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

  /** Read for long enough, or not to be read. */
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

/** Is handed the readings of all hosts as they come. No rank runs yet: whatever is busy is of others. */
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

  /** Every host was read for some seconds. */
  get isKnown(): boolean {
    return [...this.hosts.values()].every(({ isKnown }) => isKnown);
  }

  /** Every host was below its limit; one whose readings do not show it is not waited for. */
  get isQuiet(): boolean {
    return this.isKnown && this.busy().every(({ cores, limit }) => cores === null || cores < limit);
  }

  /** New readings, or so many seconds have passed. */
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
