import type { CellRecord } from '../schema/index.ts';

/** Cells as NDJSON: one cell per line, as in cells.ndjson (results/schema/generated/cell.json). */
export function cellsToNdjson(cells: readonly CellRecord[]): string {
  return cells.map((cell) => `${JSON.stringify(cell)}\n`).join('');
}
