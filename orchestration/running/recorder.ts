import { deriveCells, groupOf, missingCell, refineIntervals, withLoads } from '../../results/derive/index.ts';
import {
  type BlockRecord,
  type CellRecord,
  dataOf,
  headlineNames,
  type LaunchRecord,
  type MetricsLine,
  measuredOf,
  partialReason,
  type RunPlan,
} from '../../results/schema/index.ts';
import { openMetrics, type RunWriter } from '../../results/store/index.ts';
import { formatDuration } from '../../results/units.ts';
import { type CompletedCell, withReasons } from '../../suites/sampler/index.ts';

/** True if the cell succeeded and has a value of its workload's main figure, the first of the headline figures. */
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

/** Results of earlier starts of a resumed run; empty for a new run. */
export interface EarlierAttempt {
  /** Cells that earlier starts completed. */
  cells: readonly CellRecord[];
  /** Number of this start of the run: 0 = the first; higher for each resumption, and for a repetition of disturbed cells. */
  attempt: number;
  /** Number that the next block gets. */
  firstBlock: number;
  /**
   * True if disturbed cells are measured again. Their lines are written only when it is known which of the two measurements is
   * used.
   */
  isSecond?: boolean;
}
export const firstAttempt: EarlierAttempt = { cells: [], attempt: 0, firstBlock: 0 };

/**
 * Stores the results of a session: every block when it arrives, every cell when its last block arrives. Disk errors are thrown;
 * what was stored earlier stays.
 */
export class RunRecorder {
  cells: CellRecord[] = [];
  /** Flags that every cell of the run gets, for example oversubscribed. They are set when the machine's facts are known. */
  flags: string[] = [];
  /** Launches of the run so far; they record the CPUs of each rank. */
  launches: readonly LaunchRecord[] = [];
  /** Number that the next block gets. */
  nextBlock: number;
  private readonly open = new Map<string, BlockRecord[]>();
  /**
   * Cells by series and size range. The interval of a cell uses only cells of the same series and range; a search through all
   * cells would take minutes in large runs.
   */
  private readonly groups = new Map<string, CellRecord[]>();
  /** Provisional cells from the first blocks: by point, then by transport. */
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
   * Stores a block.
   * @param closed cells that the sampler completes with this block
   * @returns the completed cells; with groups of ranks, one for each group
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
    const budgetS = this.plan.sampling.adaptive?.budgetS ?? 0;
    const reason = `the time budget of ${formatDuration(budgetS)} ended before its first launch`;
    return missingCell(this.plan, point, transport, 'aborted', reason);
  }

  /**
   * Provisional cells of a point, made from its first blocks. They are returned once per transport, together with those of
   * earlier transports, and have no intervals.
   * @returns null if there is nothing new
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

  /** Makes cells with the flag `interrupted` from the blocks of cells that were not finished. */
  async *abandon(): AsyncGenerator<CellRecord> {
    for (const blocks of this.open.values()) {
      const { point, transport } = blocks[0] as BlockRecord;
      const flags = [...this.flags, 'interrupted'];
      for (const cell of deriveCells(this.plan, point, transport, blocks, flags)) yield await this.keep(cell);
    }
    this.open.clear();
  }

  /** All cells of a point; null while the cell of a transport or of a group is missing. */
  row(point: number): CellRecord[] | null {
    const cells = this.cells.filter((cell) => cell.point === point);
    const { transports, groups } = this.plan;
    return cells.length === transports.length * (groups?.members.length ?? 1) ? cells : null;
  }

  /** Stores lines of a host's metrics file; the first line is the header. */
  addMetrics(host: string, lines: readonly MetricsLine[]): Promise<void> {
    const { attempt } = this.earlier;
    const own = lines.map((line) =>
      attempt > 0 && 'kind' in line && line.kind === 'metrics' ? { ...line, attempt } : line,
    );
    return this.writer.appendMetrics(host, own);
  }

  /**
   * Computes all cells again at the end and writes them. Intervals between launches use the other sizes of the series, which
   * are complete only now. Adds the machines' load during each cell.
   * @returns why the metric readings could not be used; null if they could
   */
  async refine(): Promise<string | null> {
    const problem = await this.look();
    await this.writer.replaceCells(this.cells);
    return problem;
  }

  /** Computes all cells again as refine() does, but writes nothing. */
  async look(): Promise<string | null> {
    this.cells = refineIntervals(this.cells);
    let problem: string | null = null;
    try {
      const readings = await openMetrics(this.writer.dir);
      this.cells = await withLoads(this.plan, this.cells, readings, this.launches);
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

  /** Adds a cell to the cells of its series and size range. @returns all of these cells so far; the added cell is the last */
  private withGroup(cell: CellRecord): CellRecord[] {
    const { key } = groupOf(cell);
    const own = this.groups.get(key) ?? [];
    own.push(cell);
    this.groups.set(key, own);
    return own;
  }
}
