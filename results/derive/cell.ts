import type { BlockRecord, CellRecord, RunPlan } from '../schema/index.ts';

/** Figures of one cell from all its blocks. */
export function deriveCell(
  _plan: RunPlan,
  _point: number,
  _transport: number,
  _blocks: BlockRecord[],
  _flags: string[] = [],
): CellRecord {
  throw new Error('deriveCell: being written');
}
