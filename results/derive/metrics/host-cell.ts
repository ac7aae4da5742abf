import type { HostLoad } from '../../schema/index.ts';
import type { ChannelStats, LoadAlignment } from './align.ts';
import type { CoreCompetition } from './competition.ts';
import { type ChannelTable, core, cpuQuantities, gpu } from './names.ts';

/**
 * Lowest share of the reading intervals' time that must be in the cell. Otherwise a counter mostly describes the time around the
 * cell.
 */
const leastFill = 0.8;
/** Metrics of one host during one cell, from which load flags and load figures are computed. */
export class HostCell {
  readonly host: string;
  /** Number of ranks of the run on this host. */
  readonly ranks: number;
  /**
   * Number of ranks under other host names of the same machine. They may use the same cores, but another agent records their
   * processes.
   */
  readonly besideRanks: number;
  readonly transport: string;
  /** Number of timed operations of the cell. */
  readonly operations: number;
  readonly table: ChannelTable;
  /** Indices of the GPUs that the ranks use, among those of the host; null = all. */
  private readonly gpus: readonly number[] | null;
  private readonly cell: number;
  private readonly alignment: LoadAlignment;
  private readonly competition: CoreCompetition;
  /** Total time in which operations of the cell were timed, ns. */
  private readonly windowNs: number;
  /** Number of cores that the ranks may use. `allCores` is the number of all cores of the machine. */
  readonly cores: number;
  readonly allCores: number;

  constructor(
    at: {
      host: string;
      ranks: number;
      besideRanks: number;
      cell: number;
      windowNs: number;
      transport: string;
      operations: number;
      gpus: readonly number[] | null;
    },
    seen: {
      table: ChannelTable;
      alignment: LoadAlignment;
      competition: CoreCompetition;
      cores: readonly string[];
    },
  ) {
    this.host = at.host;
    this.ranks = at.ranks;
    this.besideRanks = at.besideRanks;
    this.transport = at.transport;
    this.operations = at.operations;
    this.cell = at.cell;
    this.windowNs = at.windowNs;
    this.gpus = at.gpus;
    this.table = seen.table;
    this.alignment = seen.alignment;
    this.competition = seen.competition;
    this.cores = seen.cores.length;
    this.allCores = seen.table.cores().length;
  }

  /** Returns the names of objects that match, as "gpu0" or "net.eth0". GPUs that no rank of the run uses are left out. */
  objects(kind: RegExp): readonly string[] {
    const all = this.table.objects(kind);
    if (kind !== gpu || this.gpus === null) return all;
    return all.filter((_, place) => this.gpus?.includes(place) === true);
  }

  /**
   * Returns the statistics of one channel, an object's quantity, during the cell. Null if the machine has no such channel, or
   * nothing was read.
   */
  stats(object: string, quantity: string): ChannelStats | null {
    const index = this.table.index(object, quantity);
    return index === undefined ? null : this.alignment.of(this.cell, index);
  }

  /** Returns the quantity's highest value in the whole run; -Infinity if nothing was read. */
  highest(object: string, quantity: string): number {
    const index = this.table.index(object, quantity);
    return index === undefined ? Number.NEGATIVE_INFINITY : this.alignment.highestOf(index);
  }

  get fill(): number {
    const { touchedNs, coveredNs } = this.alignment.reach(this.cell);
    return touchedNs === 0 ? 0 : coveredNs / touchedNs;
  }

  /** Number of seconds of the cell with a reading before and after. */
  get coveredS(): number {
    return this.alignment.reach(this.cell).coveredNs / 1e9;
  }

  /**
   * Lower bound of the number of cores that other processes used. Each rank under another host name of this machine counts as one
   * core. Null if not known.
   */
  get competingCores(): number | null {
    const others = this.competition.of(this.cell);
    return others === null ? null : Math.max(0, others - this.besideRanks);
  }

  /**
   * Share of all CPU time during the cell that was of the given kinds ("user", "steal"); 0 to 1. Null if CPU time was not read.
   */
  cpuShare(quantities: readonly string[]): number | null {
    let [own, all] = [0, 0];
    for (const object of this.table.objects(core)) {
      for (const quantity of cpuQuantities) {
        const mean = this.stats(object, quantity)?.mean ?? 0;
        all += mean;
        if (quantities.includes(quantity)) own += mean;
      }
    }
    return all === 0 ? null : own / all;
  }

  /**
   * Energy in joules that all devices of the run used during the cell, as far as devices report it.
   * @returns null if no device reports energy, or if the cell is too short for the reading interval
   */
  energyJ(): number | null {
    if (this.fill < leastFill) return null;
    let sum: number | null = null;
    const used = this.objects(gpu);
    for (const object of this.table.objects(/./)) {
      if (gpu.test(object) && !used.includes(object)) continue;
      const counted = this.stats(object, 'energyMillijoule')?.delta;
      const drawn = this.stats(object, 'powerMilliwatt');
      const joule =
        counted !== undefined ? counted / 1e3 : drawn === null ? null : (drawn.mean / 1e3) * this.coveredS;
      if (joule !== null) sum = (sum ?? 0) + joule;
    }
    return sum;
  }

  load(): HostLoad {
    const { coveredNs, ticks } = this.alignment.reach(this.cell);
    return {
      host: this.host,
      coverage: this.windowNs === 0 ? 0 : Math.min(1, coveredNs / this.windowNs),
      fill: this.fill,
      ticks,
      cpuBusyShare: this.cpuShare(cpuQuantities.filter((q) => q !== 'idle' && q !== 'iowait')),
      competingCores: this.competingCores,
      energyJ: this.energyJ(),
    };
  }
}
