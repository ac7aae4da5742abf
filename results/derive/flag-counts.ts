import type { CellRecord } from '../schema/index.ts';

/** Returns the number of measured cells by flag name. */
export function flagCounts(cells: readonly CellRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const cell of cells) {
    for (const { name } of cell.status === 'ok' ? cell.flags : []) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
