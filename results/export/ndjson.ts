import type { CellRecord } from '../schema/index.ts';

/**
 * Returns results as NDJSON: one configuration per line, as in cells.ndjson (results/schema/generated/cell.json). Each line ends
 * with a line break; '' without results.
 */
export function cellsToNdjson(cells: readonly CellRecord[]): string {
  return cells.map((cell) => `${JSON.stringify(cell)}\n`).join('');
}

/**
 * Returns the results of a suite as NDJSON: one configuration per line. The first key of each line's object is `entry`, the name of
 * the suite entry to which the result belongs.
 */
export function entriesToNdjson(entries: readonly { entry: string; cells: readonly CellRecord[] }[]): string {
  return entries
    .flatMap(({ entry, cells }) => cells.map((cell) => `${JSON.stringify({ entry, ...cell })}\n`))
    .join('');
}
