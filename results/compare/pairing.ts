import { rowOfKey } from '../axis-text.ts';
import { addTo } from '../collections.ts';
import { type CellRecord, engineRow, partsOfKey } from '../schema/index.ts';

/** Results of the same measurement in the two compared runs. Either may have failed. */
export interface CellPair {
  base: CellRecord;
  other: CellRecord;
}

export interface CellPairing {
  pairs: CellPair[];
  /** Cells of the base run without a counterpart in the other run; `otherOnly`: those of the other run without one in the base. */
  baseOnly: CellRecord[];
  otherOnly: CellRecord[];
}

/**
 * Parts of a cell's id in which the two compared cells may differ. Whether such cells are then compared is decided later
 * (familiesOf()).
 */
const elsewhere = ['nodes', 'medium'];

/**
 * Returns a key of what the cell measures; cells of two runs with equal keys are a pair. The key is without workload, nodes,
 * medium, the parts that the engine calls comparable, and those named in `without`. In the key, axes are named by their columns in
 * files, so that an imported all-reduce equals a measured one.
 * @param id id of the cell
 * @param without names of further parts of the id that are left out
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
 * Finds the pairs of cells of two runs that measured the same configuration, whatever their order. First, cells with equal
 * measureKey() are paired. Of the others, cells that also differ in the number of ranks are paired, if each run has exactly one
 * such cell left. Pairs are in the order of the base run.
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

/**
 * Returns the cells by the key of what they measure, without the number of ranks; if several cells have an equal key, none of them
 * is returned.
 */
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
