import { deriveCells, groupOf, missingCell, refineIntervals, withLoads } from '../../results/derive/index.ts';
import {
  type BlockRecord,
  type CellRecord,
  dataOf,
  headlineNames,
  type Inventory,
  type LaunchRecord,
  type MetricsLine,
  measuredOf,
  partialReason,
  type RunPlan,
} from '../../results/schema/index.ts';
import { openMetrics } from '../../results/store/metrics.ts';
import type { RunWriter } from '../../results/store/types.ts';
import { formatDuration } from '../../results/units.ts';
import { type CompletedCell, firstLaunchesS, withReasons } from '../../suites/sampler/index.ts';

/**
 * True if a configuration was measured without failure and has a value for the main figure of its workload, such as
 * the latency.
 */
function hasHeadline({ workloads }: RunPlan, cell: CellRecord): boolean {
  const [name] = headlineNames(dataOf(cell.workload, workloads));
  return cell.status === 'ok' && name !== undefined && measuredOf(cell, name) !== null;
}

const withoutIntervals = (cell: CellRecord): CellRecord =>
  cell.status !== 'ok'
    ? cell
    : {
        ...cell,
        figures: cell.figures.map((figure) =>
          figure.kind === 'measured' ? { ...figure, interval: null, intervalReason: partialReason } : figure,
        ),
      };

/** Results and counters that a start of a run takes over from earlier starts; for a new run `firstAttempt`. */
export interface EarlierAttempt {
  /** Results of the configurations that earlier starts completed. */
  cells: readonly CellRecord[];
  /**
   * Number of this start of the run: 0 = the first; higher if the run is resumed, or measures disturbed configurations
   * again.
   */
  attempt: number;
  /** Number of the next stored block, counted over all starts of the run. */
  firstBlock: number;
  /**
   * True if this start measures disturbed configurations again. Their lines in cells.ndjson are written only after the
   * choice between the first and the second measurement.
   */
  isSecond?: boolean;
}
export const firstAttempt: EarlierAttempt = { cells: [], attempt: 0, firstBlock: 0 };

/**
 * Stores the results of a session in the run's folder: every block of samples when it arrives, and the result of a configuration
 * (its cell) after its last block. If the disk fails, StoreError is thrown; what was stored earlier stays. The caller closes the
 * writer.
 */
export class RunRecorder {
  cells: CellRecord[] = [];
  /**
   * Warnings about the hosts, such as oversubscribed, that every later result gets; the caller sets them when facts of the hosts
   * are known.
   */
  flags: string[] = [];
  /**
   * Records of the launches (starts of all ranks) of the run so far, with the CPUs on which each rank may run; set by the caller.
   */
  launches: readonly LaunchRecord[] = [];
  /** Facts about the hosts that have answered, by name; set by the caller. */
  inventory: Readonly<Record<string, Inventory>> = {};
  /** Number of the next stored block, counted over all starts of the run. */
  nextBlock: number;
  private readonly open = new Map<string, BlockRecord[]>();
  /**
   * Results by series (results that differ only in size) and size range. The confidence interval of a result is computed only
   * from the results of the same series and range; a search through all results would take minutes in large runs.
   */
  private readonly groups = new Map<string, CellRecord[]>();
  /**
   * Provisional results from the first blocks, by index of the point, then by index of the transport in the plan; one per group of
   * ranks.
   */
  private readonly seenEarly = new Map<number, Map<number, CellRecord[]>>();
  private readonly plan: RunPlan;
  private readonly writer: RunWriter;
  private readonly earlier: EarlierAttempt;

  constructor(plan: RunPlan, writer: RunWriter, earlier: EarlierAttempt = firstAttempt) {
    this.plan = plan;
    this.writer = writer;
    this.earlier = earlier;
    this.cells = [...earlier.cells];
    for (const cell of this.cells) this.withGroup(cell);
    this.nextBlock = earlier.firstBlock;
  }

  /**
   * Stores a block (samples of one configuration in one launch), and computes and stores the results of configurations that are
   * finished.
   * @param measured block, numbered from 0 in this start of the run; it is stored with its number in the whole run
   * @param closed configurations for which the sampler requests no further blocks
   * @returns results of the configurations in `closed`: one each, or with groups of ranks one per group. A configuration without
   * any block gets a result with status `aborted`
   * @throws StoreError if the disk cannot be written
   */
  async add(measured: BlockRecord, closed: readonly CompletedCell[]): Promise<CellRecord[]> {
    const { attempt, firstBlock } = this.earlier;
    const { group } = measured;
    const numbered = {
      ...measured,
      block: firstBlock + measured.block,
      ...(group === undefined ? {} : { group: { ...group, round: firstBlock + group.round } }),
    };
    const block = attempt === 0 ? numbered : { ...numbered, attempt };
    await this.writer.appendBlock(block);
    this.nextBlock = Math.max(this.nextBlock, block.block + 1);
    const key = `${block.point}/${block.transport}`;
    const blocks = [...(this.open.get(key) ?? []), block];
    this.open.set(key, blocks);
    const kept: CellRecord[] = [];
    for (const cell of closed) kept.push(...(await this.close(cell)));
    return kept;
  }

  private async close({ point, transport, stopped }: CompletedCell): Promise<CellRecord[]> {
    const key = `${point}/${transport}`;
    const blocks = this.open.get(key) ?? [];
    this.open.delete(key);
    if (blocks.length === 0) return [await this.keep(this.withoutTime(point, transport))];
    const kept: CellRecord[] = [];
    for (const cell of deriveCells(this.plan, point, transport, blocks, this.flags)) {
      kept.push(await this.keep(withReasons(cell, stopped)));
    }
    return kept;
  }

  private withoutTime(point: number, transport: number): CellRecord {
    const { adaptive } = this.plan.sampling;
    const limitS = adaptive === undefined ? 0 : firstLaunchesS(adaptive);
    const reason = `no time left for its first launch (limit ${formatDuration(limitS)})`;
    return missingCell(this.plan, point, transport, 'aborted', reason);
  }

  /**
   * Returns provisional results at a point (one table row), computed from its first blocks and without confidence intervals. Each
   * call that is the first for a transport returns the results of all transports seen so far. Nothing is stored.
   * @param block a block that add() stored
   * @returns null if the transport was returned before, or a result has no main figure yet
   */
  early({ point, transport }: BlockRecord): CellRecord[] | null {
    const blocks = this.open.get(`${point}/${transport}`);
    const seen = this.seenEarly.get(point) ?? new Map<number, CellRecord[]>();
    if (blocks === undefined || seen.has(transport)) return null;
    const cells = deriveCells(this.plan, point, transport, blocks, this.flags);
    if (!cells.every((cell) => hasHeadline(this.plan, cell))) return null;
    seen.set(transport, cells.map(withoutIntervals));
    this.seenEarly.set(point, seen);
    return [...seen.values()].flat();
  }

  /**
   * Makes, stores and yields results with the flag `interrupted` from the blocks of configurations that were not measured to the
   * end.
   */
  async *abandon(): AsyncGenerator<CellRecord> {
    for (const blocks of this.open.values()) {
      const { point, transport } = blocks[0] as BlockRecord;
      const flags = [...this.flags, 'interrupted'];
      for (const cell of deriveCells(this.plan, point, transport, blocks, flags)) yield await this.keep(cell);
    }
    this.open.clear();
  }

  /**
   * Returns the results of all transports and groups at one point (one table row), in the order in which they were finished; null
   * while a result is missing.
   * @param point index of the point in the plan
   */
  row(point: number): CellRecord[] | null {
    const cells = this.cells.filter((cell) => cell.point === point);
    const { transports, groups } = this.plan;
    return cells.length === transports.length * (groups?.members.length ?? 1) ? cells : null;
  }

  /**
   * Appends lines to a host's metrics file; the caller passes the header first. In a later start of the run the header gets its
   * number (`attempt`).
   * @throws StoreError if the disk cannot be written
   */
  addMetrics(host: string, lines: readonly MetricsLine[]): Promise<void> {
    const { attempt } = this.earlier;
    const own = lines.map((line) =>
      attempt > 0 && 'kind' in line && line.kind === 'metrics' ? { ...line, attempt } : line,
    );
    return this.writer.appendMetrics(host, own);
  }

  /**
   * Computes all results again at the end, and replaces the file of results with them. Confidence intervals use the results for
   * other sizes, which are complete only now. Adds the load of the machines while each result was measured.
   * @returns the reason why the metric readings could not be used; null if they could
   * @throws StoreError if the disk cannot be written
   */
  async refine(): Promise<string | null> {
    const problem = await this.look();
    await this.writer.replaceCells(this.cells);
    return problem;
  }

  /**
   * Computes all results again, with intervals and system load, now that all data is there, and replaces `cells`. Writes nothing.
   * @returns the reason why the metric readings could not be used; null if they could
   */
  async look(): Promise<string | null> {
    this.cells = refineIntervals(this.cells);
    let problem: string | null = null;
    try {
      const readings = await openMetrics(this.writer.dir);
      this.cells = await withLoads(this.plan, this.cells, readings, this.launches, this.inventory);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    return problem;
  }

  private async keep(cell: CellRecord): Promise<CellRecord> {
    const refined = refineIntervals(this.withGroup(cell)).at(-1) as CellRecord;
    if (this.earlier.isSecond !== true) await this.writer.appendCell(refined);
    this.cells.push(refined);
    return refined;
  }

  /**
   * Adds a result to the results of its series and size range. @returns all results of that series and range so far;
   * the added one is the last
   */
  private withGroup(cell: CellRecord): CellRecord[] {
    const { key } = groupOf(cell);
    const own = this.groups.get(key) ?? [];
    own.push(cell);
    this.groups.set(key, own);
    return own;
  }
}
