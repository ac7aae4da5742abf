import type { CellRecord } from '../schema/index.ts';

/** Number of measured configurations that carry each flag. */
export function flagCounts(cells: readonly CellRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const cell of cells) {
    for (const { name } of cell.status === 'ok' ? cell.flags : []) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
