import { deriveCell } from '../results/derive/index.ts';
import type { BlockRecord, CellRecord, RunPlan } from '../results/schema/index.ts';
import type { RunWriter } from '../results/store/index.ts';

/**
 * Keeps what comes from a session: every block at once, every cell as soon as its last block is there.
 * Errors of the disk go through: what was appended before stays.
 */
export class Recorder {
  readonly cells: CellRecord[] = [];
  private readonly open = new Map<string, BlockRecord[]>();
  private readonly plan: RunPlan;
  private readonly writer: RunWriter;

  constructor(plan: RunPlan, writer: RunWriter) {
    this.plan = plan;
    this.writer = writer;
  }

  /** @returns the cell this block completes, else null */
  async add(block: BlockRecord, completesCell: boolean): Promise<CellRecord | null> {
    await this.writer.appendBlock(block);
    const key = `${block.point}/${block.transport}`;
    const blocks = [...(this.open.get(key) ?? []), block];
    this.open.set(key, blocks);
    if (!completesCell) return null;
    this.open.delete(key);
    return this.keep(deriveCell(this.plan, block.point, block.transport, blocks));
  }

  /** Cells that were begun and cannot be finished: what their blocks show is kept, flagged as interrupted. */
  async *abandon(): AsyncGenerator<CellRecord> {
    for (const blocks of this.open.values()) {
      const { point, transport } = blocks[0] as BlockRecord;
      yield await this.keep(deriveCell(this.plan, point, transport, blocks, ['interrupted']));
    }
    this.open.clear();
  }

  /** All cells of a point, or null while some transport is missing. */
  row(point: number): CellRecord[] | null {
    const cells = this.cells.filter((cell) => cell.point === point);
    return cells.length === this.plan.transports.length ? cells : null;
  }

  private async keep(cell: CellRecord): Promise<CellRecord> {
    await this.writer.appendCell(cell);
    this.cells.push(cell);
    return cell;
  }
}
