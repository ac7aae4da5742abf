import { csvLines } from '../files/csv.ts';
import type { CellRecord } from '../schema/index.ts';
import { columnsOf, rowsOf } from './columns.ts';

/** Cells as CSV with a head. Text that a spreadsheet would take for a formula is escaped. */
export function cellsToCsv(cells: readonly CellRecord[]): string {
  const columns = columnsOf(cells);
  return csvLines([
    columns.map(({ name }) => name),
    ...rowsOf(cells).map((row) => columns.map(({ value }) => value(row))),
  ]);
}
