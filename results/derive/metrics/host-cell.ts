import type { HostLoad } from '../../schema/index.ts';
import type { ChannelStats, LoadAlignment } from './align.ts';
import type { CoreCompetition } from './competition.ts';
import { type ChannelTable, core, cpuQuantities, gpu } from './names.ts';

/**
 * Lowest share that a measurement may have of the time between the readings around it. Below this share no energy is given, since
 * the energy counters mostly contain what happened before and after.
 */
const minMeasuredShare = 0.8;

/** One measurement of one configuration, as far as it concerns one host. */
interface HostShare {
  host: string;
  /** Number of the run's ranks that run on this host. */
  ranks: number;
  /**
   * Number of ranks under other host names of the same machine that may use the same cores. Another agent records their processes.
   */
  besideRanks: number;
  /** Index of the configuration in the run's list of results. */
  cell: number;
  /** Total length of the time spans in which this configuration was measured, ns. */
  windowNs: number;
  transport: string;
  /** Number of timed operations in this measurement, all launches and trials together; each operation of a batch counts. */
  operations: number;
  /** Indices of the GPUs that the ranks use, counted among this host's GPUs; null = all or not known. */
  gpus: readonly number[] | null;
}

interface HostLoadData {
  table: ChannelTable;
  alignment: LoadAlignment;
  competition: CoreCompetition;
  /** Names of the cores that the ranks may use. */
  cores: readonly string[];
}

/** System load of one host while one configuration was measured. Load flags such as "CPU busy" are derived from it. */
export class HostCell {
  readonly at: HostShare;
  private readonly seen: HostLoadData;
  /** Number of cores that the ranks may use. `allCores` is the number of all cores of the machine. */
  readonly cores: number;
  readonly allCores: number;

  constructor(at: HostShare, seen: HostLoadData) {
    this.at = at;
    this.seen = seen;
    this.cores = seen.cores.length;
    this.allCores = seen.table.cores().length;
  }

  /**
   * Returns the names of monitored devices that match `kind`, such as "gpu0" or "net.eth0". If `kind` is the pattern `gpu` of
   * names.ts, GPUs that the run does not use are left out.
   */
  objects(kind: RegExp): readonly string[] {
    const all = this.seen.table.objects(kind);
    if (kind !== gpu || this.at.gpus === null) return all;
    return all.filter((_, place) => this.at.gpus?.includes(place) === true);
  }

  /**
   * Returns statistics of the metric `quantity`, such as "rxBytes", of the device `object`, such as "net.eth0", during this
   * measurement; null if the host does not have the metric, or if it was not read around this measurement.
   */
  stats(object: string, quantity: string): ChannelStats | null {
    const index = this.seen.table.index(object, quantity);
    return index === undefined ? null : this.seen.alignment.of(this.at.cell, index);
  }

  /**
   * Returns the highest reading of the metric `quantity` of the device `object`, such as the clock of "gpu0", in the whole run;
   * -Infinity if never read.
   */
  highest(object: string, quantity: string): number {
    const index = this.seen.table.index(object, quantity);
    return index === undefined ? Number.NEGATIVE_INFINITY : this.seen.alignment.highestOf(index);
  }

  get fill(): number {
    const { touchedNs, coveredNs } = this.seen.alignment.reach(this.at.cell);
    return touchedNs === 0 ? 0 : coveredNs / touchedNs;
  }

  /** Seconds of this measurement for which the load is known, because a reading was taken before and after. */
  get coveredS(): number {
    return this.seen.alignment.reach(this.at.cell).coveredNs / 1e9;
  }

  /**
   * Lower bound of the number of cores that other processes used. Each rank in `besideRanks` is taken to use one core, which is
   * subtracted. Null if not known.
   */
  get competingCores(): number | null {
    const others = this.seen.competition.of(this.at.cell);
    return others === null ? null : Math.max(0, others - this.at.besideRanks);
  }

  /**
   * Returns the share of the CPU time of all the machine's cores, 0 to 1, that was spent as these quantities ("user", "steal")
   * during this measurement; null if CPU times were not read.
   */
  cpuShare(quantities: readonly string[]): number | null {
    let [own, all] = [0, 0];
    for (const object of this.seen.table.objects(core)) {
      for (const quantity of cpuQuantities) {
        const mean = this.stats(object, quantity)?.mean ?? 0;
        all += mean;
        if (quantities.includes(quantity)) own += mean;
      }
    }
    return all === 0 ? null : own / all;
  }

  /**
   * Returns the energy in joules that GPUs of the run and other devices used during this measurement, as far as they report it. A
   * device without an energy counter counts with its mean power. Null if no device reports, or if the measurement has too small a
   * share of the time between readings (`minMeasuredShare`).
   */
  energyJ(): number | null {
    if (this.fill < minMeasuredShare) return null;
    let sum: number | null = null;
    const used = this.objects(gpu);
    for (const object of this.seen.table.objects(/./)) {
      if (gpu.test(object) && !used.includes(object)) continue;
      const counted = this.stats(object, 'energyMillijoule')?.delta;
      const drawn = this.stats(object, 'powerMilliwatt');
      const joule =
        counted !== undefined ? counted / 1e3 : drawn === null ? null : (drawn.mean / 1e3) * this.coveredS;
      if (joule !== null) sum = (sum ?? 0) + joule;
    }
    return sum;
  }

  /**
   * Time for which CPU quotas kept processes from running, as a share of the measuring time of as many cores as this host has
   * ranks; null if not known.
   */
  get throttledShare(): number | null {
    const throttled = this.stats('cgroup', 'throttled');
    return throttled === null || this.at.ranks === 0 ? null : throttled.mean / 1e9 / this.at.ranks;
  }

  /** TCP segments that the whole host sent again during this measurement, per timed operation; null if not known. */
  get retransmitsPerOperation(): number | null {
    const again = this.stats('tcp', 'retransSegs');
    return again === null || this.at.operations === 0 ? null : again.delta / this.at.operations;
  }

  load(): HostLoad {
    const { throttledShare, retransmitsPerOperation } = this;
    const { coveredNs, ticks } = this.seen.alignment.reach(this.at.cell);
    return {
      host: this.at.host,
      coverage: this.at.windowNs === 0 ? 0 : Math.min(1, coveredNs / this.at.windowNs),
      fill: this.fill,
      ticks,
      cpuBusyShare: this.cpuShare(cpuQuantities.filter((q) => q !== 'idle' && q !== 'iowait')),
      competingCores: this.competingCores,
      ...(throttledShare === null ? {} : { throttledShare }),
      ...(retransmitsPerOperation === null ? {} : { retransmitsPerOperation }),
      energyJ: this.energyJ(),
    };
  }
}
