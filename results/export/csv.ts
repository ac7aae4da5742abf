import { stringify } from 'csv-stringify/sync';
import type { CellRecord } from '../schema/index.ts';
import { columnsOf, rowsOf } from './columns.ts';

/**
 * Returns results as CSV with a header line: one row per configuration and measured time. A value that is not known is an empty
 * field. Text that a spreadsheet would take for a formula is escaped, and line breaks in fields become "; ".
 */
export function cellsToCsv(cells: readonly CellRecord[]): string {
  const columns = columnsOf(cells);
  return textOf(
    columns.map(({ name }) => name),
    rowsOf(cells).map((row) => columns.map(({ value }) => value(row))),
  );
}

/**
 * Returns the results of a suite as CSV, as cellsToCsv() does for a run. The first column, `entry`, is the name of the suite entry
 * (one of the suite's measurements).
 */
export function entriesToCsv(entries: readonly { entry: string; cells: readonly CellRecord[] }[]): string {
  const columns = columnsOf(entries.flatMap(({ cells }) => cells));
  return textOf(
    ['entry', ...columns.map(({ name }) => name)],
    entries.flatMap(({ entry, cells }) =>
      rowsOf(cells).map((row) => [entry, ...columns.map(({ value }) => value(row))]),
    ),
  );
}

const textOf = (columns: string[], rows: unknown[][]): string =>
  stringify(rows, {
    header: true,
    columns,
    escape_formulas: true,
    cast: {
      boolean: (value) => (value ? 'true' : 'false'),
      // A line break within a field is legal CSV, but tools that read line by line interpret it as a new row.
      string: (value) => value.replaceAll(/\s*[\r\n]+\s*/g, '; '),
    },
  });
