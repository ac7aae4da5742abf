import type { CellRecord, OkCell } from '../schema/index.ts';

/** A cell of the base and its counterpart. */
export interface Pair {
  base: CellRecord;
  other: CellRecord;
}

export interface Pairing {
  pairs: Pair[];
  baseOnly: CellRecord[];
  otherOnly: CellRecord[];
}

export const isOk = (cell: CellRecord): cell is OkCell => cell.status === 'ok';

/** The id without the number of ranks. */
function withoutRanks({ id }: CellRecord): string {
  const parts = id.split('/');
  parts.splice(6, 1);
  return parts.join('/');
}

/**
 * Pairs cells by what they measure, whatever their order: equal ids first, then ids that differ in the number of ranks
 * alone, as far as there is one such cell on each side. In the order of the base.
 */
export function pairCells(base: readonly CellRecord[], other: readonly CellRecord[]): Pairing {
  const byId = new Map(other.map((cell) => [cell.id, cell]));
  const counterpart = new Map<CellRecord, CellRecord>();
  for (const cell of base) {
    const found = byId.get(cell.id);
    if (found === undefined) continue;
    counterpart.set(cell, found);
    byId.delete(cell.id);
  }
  const alone = base.filter((cell) => !counterpart.has(cell));
  const rest = unique([...byId.values()]);
  for (const [key, cell] of unique(alone)) {
    const found = rest.get(key);
    if (found !== undefined) counterpart.set(cell, found);
  }
  const taken = new Set(counterpart.values());
  return {
    pairs: base.flatMap((cell) => {
      const found = counterpart.get(cell);
      return found === undefined ? [] : [{ base: cell, other: found }];
    }),
    baseOnly: base.filter((cell) => !counterpart.has(cell)),
    otherOnly: other.filter((cell) => !taken.has(cell)),
  };
}

/** Those of which there is one, by id without ranks. */
function unique(cells: readonly CellRecord[]): Map<string, CellRecord> {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(withoutRanks(cell), (counts.get(withoutRanks(cell)) ?? 0) + 1);
  return new Map(
    cells.filter((cell) => counts.get(withoutRanks(cell)) === 1).map((cell) => [withoutRanks(cell), cell]),
  );
}
