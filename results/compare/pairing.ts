import { addTo } from '../add-to.ts';
import { rowOfKey } from '../axis-text.ts';
import { type CellRecord, engineRow, type OkCell, partsOfKey } from '../schema/index.ts';

/** A cell of the base and its counterpart. */
export interface CellPair {
  base: CellRecord;
  other: CellRecord;
}

export interface CellPairing {
  pairs: CellPair[];
  baseOnly: CellRecord[];
  otherOnly: CellRecord[];
}

export const isOk = (cell: CellRecord): cell is OkCell => cell.status === 'ok';

/** Parts of an id in which cells may differ that measure the same elsewhere: refusals say whether they are compared. */
const elsewhere = ['nodes', 'medium'];

/**
 * What the cell of an id measures, equal for cells that are paired. Axes go by their columns, since an imported all-reduce
 * is an all-reduce.
 */
export function measureKey(id: string, without: readonly string[] = []): string {
  const parts = partsOfKey(id);
  const columns = new Map(rowOfKey(id).axes.map(({ name, column }) => [name, column]));
  const { comparable } = engineRow({ engine: parts.get('engine') ?? '' });
  const left = ['workload', ...elsewhere, ...comparable, ...without];
  const kept = [...parts].filter(([name]) => !left.includes(name));
  return JSON.stringify(kept.map(([name, value]) => [columns.get(name) ?? name, value]));
}

const withoutRanks = (id: string): string => measureKey(id, ['ranks']);

/**
 * Pairs cells by what they measure, whatever their order: equal in all but nodes and medium first, then those that differ
 * in the number of ranks, too, as far as there is one such cell on each side. In the order of the base.
 */
export function pairCells(base: readonly CellRecord[], other: readonly CellRecord[]): CellPairing {
  const byKey = new Map(other.map((cell) => [measureKey(cell.id), cell]));
  const counterpart = new Map<CellRecord, CellRecord>();
  for (const cell of base) {
    const key = measureKey(cell.id);
    const found = byKey.get(key);
    if (found === undefined) continue;
    counterpart.set(cell, found);
    byKey.delete(key);
  }
  const alone = base.filter((cell) => !counterpart.has(cell));
  const rest = unique([...byKey.values()]);
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

/** Those of which there is one, by what they measure on however many ranks. */
function unique(cells: readonly CellRecord[]): Map<string, CellRecord> {
  const byKey = new Map<string, CellRecord[]>();
  for (const cell of cells) {
    const key = withoutRanks(cell.id);
    addTo(byKey, key, cell);
  }
  return new Map(
    [...byKey].flatMap(([key, [first, ...more]]) => (first && more.length === 0 ? [[key, first]] : [])),
  );
}
