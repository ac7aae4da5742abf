import { parquetWriteBuffer } from 'hyparquet-writer';
import type { CellRecord, RunRecord } from '../schema/index.ts';
import { columnsOf, type ExportColumn, type ExportValue, rowsOf } from './columns.ts';

const types = { text: 'STRING', integer: 'INT64', double: 'DOUBLE', boolean: 'BOOLEAN' } as const;

const converted: Record<ExportColumn['type'], (value: NonNullable<ExportValue>) => unknown> = {
  text: String,
  integer: BigInt,
  double: (value) => value,
  boolean: (value) => value,
};

/**
 * Returns results as Parquet (snappy), one row per configuration and measured time: the run's columns `run_id`, `started_at`,
 * `state`, `title`, then the columns of the CSV. All columns are nullable and have the same types in every file, so several files
 * can be read as one table.
 */
export function cellsToParquet(record: RunRecord, cells: readonly CellRecord[]): Uint8Array {
  const rows = rowsOf(cells);
  const same = <T>(value: T): T[] => rows.map(() => value);
  const nullable = true;
  const columnData = [
    { name: 'run_id', data: same(record.id), type: types.text, nullable },
    {
      name: 'started_at',
      data: same(new Date(record.startedAt)),
      type: 'TIMESTAMP' as const,
      nullable,
    },
    { name: 'state', data: same(record.state), type: types.text, nullable },
    { name: 'title', data: same(record.title), type: types.text, nullable },
    ...columnsOf(cells).map(({ name, type, value }) => {
      const values = rows.map(value);
      const data = values.map((one) => (one === null ? null : converted[type](one)));
      return { name, data, type: types[type], nullable };
    }),
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
