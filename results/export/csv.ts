import { stringify } from 'csv-stringify/sync';
import type { CellRecord } from '../schema/index.ts';
import { columnsOf, rowsOf } from './columns.ts';

/** Cells as CSV with a head. Text that a spreadsheet would take for a formula is escaped. */
export function cellsToCsv(cells: readonly CellRecord[]): string {
  const columns = columnsOf(cells);
  return stringify(
    rowsOf(cells).map((row) => columns.map(({ value }) => value(row))),
    {
      header: true,
      columns: columns.map(({ name }) => name),
      escape_formulas: true,
      cast: {
        boolean: (value) => (value ? 'true' : 'false'),
        // A line break within a field is legal CSV, but tools that read line by line take it for a new row.
        string: (value) => value.replaceAll(/\s*[\r\n]+\s*/g, '; '),
      },
    },
  );
}
