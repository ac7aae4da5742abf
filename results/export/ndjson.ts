import type { CellRecord } from '../schema/index.ts';

/** Cells as NDJSON: one cell per line, as in cells.ndjson (results/schema/generated/cell.json). */
export function cellsToNdjson(cells: readonly CellRecord[]): string {
  return cells.map((cell) => `${JSON.stringify(cell)}\n`).join('');
}

/** Cells of all entries of a suite as NDJSON, with the entry's name first in each line. */
export function entriesToNdjson(entries: readonly { entry: string; cells: readonly CellRecord[] }[]): string {
  return entries
    .flatMap(({ entry, cells }) => cells.map((cell) => `${JSON.stringify({ entry, ...cell })}\n`))
    .join('');
}
