import type { CellRecord } from '../schema/index.ts';

/** Cells as NDJSON: one cell per line, as in cells.ndjson (results/schema/generated/cell.json). */
export function cellsToNdjson(cells: readonly CellRecord[]): string {
  return cells.map((cell) => `${JSON.stringify(cell)}\n`).join('');
}

/** The same of all entries of a suite, whose name comes first in each line. */
export function entriesToNdjson(entries: readonly { entry: string; cells: readonly CellRecord[] }[]): string {
  return entries
    .flatMap(({ entry, cells }) => cells.map((cell) => `${JSON.stringify({ entry, ...cell })}\n`))
    .join('');
}
