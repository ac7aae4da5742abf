import { parquetWriteBuffer } from 'hyparquet-writer';
import type { CellRecord, RunRecord } from '../schema/index.ts';
import { csvColumns, rowsOf } from './csv.ts';

/** Columns of csv.ts by type; all others are text. The same in every file, so that many are read as one table. */
const integers = new Set([
  ...['root', 'requested_bytes', 'payload_bytes', 'count', 'ranks', 'nodes', 'group', 'samples', 'launches'],
  ...['batch', 'checks', 'wrong_elements'],
]);
const booleans = new Set(['in_place']);
const isDouble = (name: string): boolean =>
  /_ns$|_gb_per_s$/.test(name) ||
  ['effective_samples', 'late_share', 'bus_factor', 'group_overlap'].includes(name);

/**
 * Cells as Parquet (snappy): the columns of the CSV behind those of the run, `run_id`, `started_at`, `state`, `title`. No
 * value is null.
 */
export function cellsToParquet(record: RunRecord, cells: readonly CellRecord[]): Uint8Array {
  const rows = rowsOf(cells);
  const same = <T>(value: T): T[] => rows.map(() => value);
  const text = { type: 'STRING', nullable: true } as const;
  const columnData = [
    { name: 'run_id', data: same(record.id), ...text },
    {
      name: 'started_at',
      data: same(new Date(record.startedAt)),
      type: 'TIMESTAMP' as const,
      nullable: true,
    },
    { name: 'state', data: same(record.state), ...text },
    { name: 'title', data: same(record.title), ...text },
    ...csvColumns.map((name, column) => {
      const values = rows.map((row) => row[column] ?? null);
      if (integers.has(name))
        return {
          name,
          data: values.map((x) => (x === null ? null : BigInt(x))),
          type: 'INT64' as const,
          nullable: true,
        };
      if (booleans.has(name)) return { name, data: values, type: 'BOOLEAN' as const, nullable: true };
      if (isDouble(name)) return { name, data: values, type: 'DOUBLE' as const, nullable: true };
      return { name, data: values.map((x) => (x === null ? null : String(x))), ...text };
    }),
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
