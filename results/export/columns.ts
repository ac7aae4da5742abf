import { addTo } from '../collections.ts';
import {
  allMeasuredFigures,
  type CellRecord,
  type DerivedFigure,
  dataOf,
  derivedOf,
  detailText,
  type FigureData,
  type FigureUnit,
  type MeasuredFigure,
  type OkCell,
  sideOf,
  sideRows,
  trialOf,
  type WorkloadData,
  workloads,
} from '../schema/index.ts';

/**
 * One row of an exported table: a configuration with one of its measured times. `figure` is null if the configuration has no
 * measured time.
 */
export interface ExportRow {
  cell: CellRecord;
  figure: MeasuredFigure | null;
}

export type ExportValue = string | number | boolean | null;

/**
 * A column of CSV and Parquet files. Its name includes the unit; `value` returns null for a row to which the column does not apply.
 */
export interface ExportColumn {
  name: string;
  type: 'text' | 'integer' | 'double' | 'boolean';
  value: (row: ExportRow) => ExportValue;
}

const ok = ({ cell }: ExportRow): OkCell | null => (cell.status === 'ok' ? cell : null);

const maker =
  (type: ExportColumn['type']) =>
  (name: string, value: ExportColumn['value']): ExportColumn => ({ name, type, value });
const [text, integer, double] = [maker('text'), maker('integer'), maker('double')];
const unitEnds: Record<FigureUnit, string> = { ns: '_ns', 'GB/s': '_gb_per_s', '1/s': '_per_s', '1': '' };

/** Returns the column name of a measured or derived value, with its unit: "bus_gb_per_s", "doorbells". */
export const columnOf = ({ name, column = name, unit }: FigureData): string => column + unitEnds[unit];

/**
 * Returns the columns for the workloads' axes (parameters such as data type and payload size).
 * @param isX true = only the axis that charts use as x, such as payload bytes; false = all others
 */
function axisColumns(rows: readonly WorkloadData[], isX: boolean): ExportColumn[] {
  const all = rows.flatMap((row) => row.axes.map((axis) => ({ row, axis })));
  const wanted = all.filter(({ axis }) => (axis.role === 'x') === isX);
  return wanted.map(({ row, axis }): ExportColumn => {
    const isNumber = isX || axis.isNumber === true;
    return {
      name: axis.column,
      type: axis.words !== undefined ? 'boolean' : isNumber ? 'integer' : 'text',
      value: ({ cell }) => (cell.workload === row.name ? (cell.axes[axis.name] ?? null) : null),
    };
  });
}

/** Returns columns for the x values (such as payload bytes) as the user requested them; the measured values may be rounded. */
function requestedColumns(rows: readonly WorkloadData[]): ExportColumn[] {
  return axisColumns(rows, true).map(({ name, value }) =>
    integer(name.replace(/^(payload_)?/, 'requested_'), (row) => {
      const x = value(row);
      return x === null ? null : (row.cell.requestedX ?? x);
    }),
  );
}

function derivedColumns(rows: readonly WorkloadData[]): ExportColumn[] {
  const derived = rows.flatMap(({ figures }) => figures.filter(({ from }) => from.length > 0));
  const made = ({ cell, figure }: ExportRow, name: string): DerivedFigure | null =>
    figure === null ? null : derivedOf(cell, name, figure.name);
  return [
    ...derived.map((one) => double(columnOf(one), (row) => made(row, one.name)?.value ?? null)),
    ...derived.flatMap(({ name, factorColumn }) =>
      factorColumn === undefined ? [] : [double(factorColumn, (row) => made(row, name)?.factor ?? null)],
    ),
  ];
}

/**
 * Returns columns for values that were recorded in addition to the samples, such as times of the steps of an operation. All rows of
 * one configuration have the same values in these columns.
 */
const sideColumns = (rows: readonly WorkloadData[]): ExportColumn[] =>
  rows.flatMap((row) =>
    sideRows(row).map((one) => double(columnOf(one), ({ cell }) => sideOf(cell, one.name)?.value ?? null)),
  );

/**
 * Joins columns with equal names, since several workloads (a collective and an imported one) may have them. A row gets the first
 * value that is not null.
 */
function mergeColumns(columns: readonly ExportColumn[]): ExportColumn[] {
  const byName = new Map<string, ExportColumn[]>();
  for (const column of columns) addTo(byName, column.name, column);
  return [...byName.values()].map((same) => ({
    ...(same[0] as ExportColumn),
    value: (row) => same.reduce((found: ExportValue, { value }) => found ?? value(row), null),
  }));
}

/** Returns all columns in order: those that identify a configuration of the given workloads, then those for its measured values. */
function columnsOfRows(rows: readonly WorkloadData[]): ExportColumn[] {
  return mergeColumns([
    text('id', ({ cell }) => cell.id),
    text('status', ({ cell }) => cell.status),
    text('trial', ({ cell, figure }) => figure && trialOf(dataOf(cell.workload, rows), figure.name)),
    ...axisColumns(rows, false),
    ...requestedColumns(rows),
    ...axisColumns(rows, true),
    integer('count', ({ cell }) => cell.count ?? null),
    integer('ranks', ({ cell }) => cell.ranks),
    integer('nodes', ({ cell }) => cell.nodes),
    integer('group', ({ cell }) => cell.group?.index ?? null),
    text('group_name', ({ cell }) => cell.group?.name ?? null),
    text('group_ranks', ({ cell }) => cell.group?.ranks.join(' ') ?? null),
    double('group_overlap', (row) => ok(row)?.overlap ?? null),
    text('engine', ({ cell }) => cell.engine),
    text('transport', ({ cell }) => cell.transport),
    text('medium', ({ cell }) => (cell.medium === 'unknown' ? null : cell.medium)),
    text('detail', ({ cell }) => detailText(cell.detail)),
    text('algorithm', (row) => ok(row)?.choice.algorithm ?? null),
    ...figureColumns,
    ...derivedColumns(rows),
    ...sideColumns(rows),
    text('sync', ({ figure }) => figure?.method.sync ?? null),
    text('summary_over_ranks', ({ figure }) => figure?.method.summary ?? null),
    integer('checks', (row) => ok(row)?.verification.checks ?? null),
    integer('wrong_elements', (row) => ok(row)?.verification.wrongElements ?? null),
    text('evidence', (row) => ok(row)?.evidence.verdict ?? null),
    text('evidence_reason', (row) => ok(row)?.evidence.reason ?? null),
    text(
      'flags',
      (row) =>
        ok(row)
          ?.flags.map(({ name }) => name)
          .join(' ') ?? null,
    ),
    text('reason', ({ cell }) => (cell.status === 'ok' ? null : cell.reason)),
  ]);
}

const figureColumns: readonly ExportColumn[] = [
  integer('samples', ({ figure }) => figure?.samples || null),
  double('effective_samples', ({ figure }) => figure?.effectiveSamples || null),
  integer('launches', ({ figure }) => figure?.launches ?? null),
  integer('batch', ({ figure }) => figure?.batch ?? null),
  // The value is the median over the samples of one launch, or the geometric mean of the medians of several launches.
  double('median_ns', ({ figure }) => figure?.value ?? null),
  double('interval_low_ns', ({ figure }) => figure?.interval?.low ?? null),
  double('interval_high_ns', ({ figure }) => figure?.interval?.high ?? null),
  text('interval_scope', ({ figure }) => figure?.interval?.scope ?? null),
  text('interval_basis', ({ figure }) => figure?.interval?.basis ?? null),
  text('stopped_because', ({ figure }) => figure?.stopped ?? null),
  text('interval_missing_because', ({ figure }) => figure?.intervalReason ?? null),
  double('min_ns', ({ figure }) => figure?.min ?? null),
  double('p5_ns', ({ figure }) => figure?.p5 ?? null),
  double('p95_ns', ({ figure }) => figure?.p95 ?? null),
  double('p99_ns', ({ figure }) => figure?.p99 ?? null),
  double('max_ns', ({ figure }) => figure?.max ?? null),
  double('late_share', ({ figure }) => figure?.lateShare ?? null),
];

/**
 * Returns the columns of a table of the results in `cells`. The columns depend only on the workloads of these results (such as
 * collectives or imported output), not on the values. Without results, the table has the columns of the first workload.
 */
export function columnsOf(cells: readonly CellRecord[]): ExportColumn[] {
  const names = [...new Set(cells.map(({ workload }) => workload))];
  return columnsOfRows(names.length === 0 ? workloads.slice(0, 1) : names.map((name) => dataOf(name)));
}

/** Returns table rows: one for each measured time of each configuration, and one for a configuration without a measured time. */
export const rowsOf = (cells: readonly CellRecord[]): ExportRow[] =>
  cells.flatMap((cell): ExportRow[] => {
    const figures = allMeasuredFigures(cell);
    return figures.length === 0 ? [{ cell, figure: null }] : figures.map((figure) => ({ cell, figure }));
  });
