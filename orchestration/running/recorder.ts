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

/** Not another figure in its place. */
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

/** What an earlier start of the run left; of a run that begins there is nothing. */
export interface EarlierAttempt {
  /** Cells that are there in full. */
  cells: readonly CellRecord[];
  /** Which going on this is: 0 = the first start. */
  attempt: number;
  /** Number of the first block to come. */
  firstBlock: number;
  /** Cells are measured again: their lines wait until it is known which measurement counts. */
  isSecond?: boolean;
}
export const firstAttempt: EarlierAttempt = { cells: [], attempt: 0, firstBlock: 0 };

/**
 * Keeps what comes from a session: every block at once, every cell as soon as its last block is there.
 * Errors of the disk go through: what was appended before stays.
 */
export class RunRecorder {
  cells: CellRecord[] = [];
  /** Flags every cell of the run carries, known once the machine is (oversubscribed). */
  flags: string[] = [];
  /** Launches of the run so far: where its ranks may run. */
  launches: readonly LaunchRecord[] = [];
  /** Number of the block after the last one. */
  nextBlock: number;
  private readonly open = new Map<string, BlockRecord[]>();
  /** Cells learn from those of their group alone: to look at all for each would take minutes of a run with thousands. */
  private readonly groups = new Map<string, CellRecord[]>();
  /** By point, then by transport. */
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

  /** @returns the cells that are complete by this block, with groups one for each of them */
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
   * What the first blocks of a point show, once per transport, with those of the transports before it; null where there is
   * nothing new. Their intervals are still to come.
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

  /** Cells that were begun and cannot be finished: what their blocks show is kept, flagged as interrupted. */
  async *abandon(): AsyncGenerator<CellRecord> {
    for (const blocks of this.open.values()) {
      const { point, transport } = blocks[0] as BlockRecord;
      const flags = [...this.flags, 'interrupted'];
      for (const cell of deriveCells(this.plan, point, transport, blocks, flags)) yield await this.keep(cell);
    }
    this.open.clear();
  }

  /** All cells of a point, or null while some transport, or some group, is missing. */
  row(point: number): CellRecord[] | null {
    const cells = this.cells.filter((cell) => cell.point === point);
    const { transports, groups } = this.plan;
    return cells.length === transports.length * (groups?.members.length ?? 1) ? cells : null;
  }

  /** Readings of a host, its header first. */
  addMetrics(host: string, lines: readonly MetricsLine[]): Promise<void> {
    const { attempt } = this.earlier;
    const own = lines.map((line) =>
      attempt > 0 && 'kind' in line && line.kind === 'metrics' ? { ...line, attempt } : line,
    );
    return this.writer.appendMetrics(host, own);
  }

  /**
   * Between-launch intervals learn from the other sizes of their series; the early cells too, once all are there. What the
   * machines did while a cell was measured is known only now, too.
   * @returns why the readings of the machines could not be used; null where they could
   */
  async refine(): Promise<string | null> {
    const problem = await this.look();
    await this.writer.replaceCells(this.cells);
    return problem;
  }

  /** As refine() does, with nothing written. */
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

  /** @returns all cells of its group so far, itself the last */
  private withGroup(cell: CellRecord): CellRecord[] {
    const { key } = groupOf(cell);
    const own = this.groups.get(key) ?? [];
    own.push(cell);
    this.groups.set(key, own);
    return own;
  }
}
