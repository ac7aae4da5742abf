// Data behind the charts of an HTML page. The page stores the data of each chart as JSON in a script element; equal columns are
// stored once for the whole page. figure-data.ts packs the data, and the page's script unpacks it.

/** Data row of a chart by field name; null = no value. */
type FigureRow = Record<string, string | number | null>;

/**
 * A column of chart data in compact form. Numbers are stored as they are. Texts are stored as a list of different texts (`words`)
 * and run lengths: [text index, count, text index, count, ...].
 */
export type PackedColumn = (number | null)[] | { words: (string | number | null)[]; runs: number[] };

/** Data rows of a chart, stored as references to columns that all charts of a page share. */
export interface PackedRows {
  rows: number;
  /** For each field, the index of its column in the list of columns that all charts of the page share. */
  columns: Record<string, number>;
}

/**
 * Facts about a drawn point, for its tooltip and for the page's filter. Fields after `series` are null or absent if they are not
 * known; those from `value` on are known only of a point that shows one measured time, or a rate computed from it.
 */
export type PointFacts = {
  /** Text that names the point and its value: "socket, 8 B: 4.71 µs". */
  tip: string;
  series: string | null;
  transport?: string | null;
  /** Name of the operation that the point belongs to: "allreduce". */
  what?: string | null;
  x?: number | null;
  /** The point's `x` as text: "64 KiB". */
  at?: string | null;
  /**
   * The measured time in ns. `low` and `high` are its 95 % interval; `min` to `max` are the extremes and quantiles of its samples,
   * also in ns.
   */
  value?: number | null;
  low?: number | null;
  high?: number | null;
  /** Reason why the point has no interval; null or absent if it has one. */
  why?: string | null;
  samples?: number | null;
  launches?: number | null;
  min?: number | null;
  p5?: number | null;
  p95?: number | null;
  p99?: number | null;
  max?: number | null;
  /** The measured time in each launch, in ns, as one text with spaces between the numbers. */
  each?: string | null;
  /**
   * Histogram of the samples as text: lowest time and 99th percentile in ns, then one digit in base 36 for the height of each bar.
   */
  bins?: string | null;
};

interface FigureNames {
  /** Number of the chart in the page ("Figure 3"), from 1. */
  number: number;
  /** File name of the chart without folder and ending, for its SVG and CSV files. */
  name: string;
  title: string;
  /** Name of the host that the chart shows; absent if it shows no host or several. */
  host?: string;
  /** Names of the series; the index is the number by which the drawing refers to a series. */
  series: string[];
}

/** Data of a chart in the compact form that the page stores as JSON. */
export interface PackedFigure extends FigureNames {
  /** Columns that no earlier chart of the page has stored; they are appended to the list of columns that all charts share. */
  fresh: PackedColumn[];
  points: PackedRows;
  rows: PackedRows;
  /** Vega-Lite specification without `config`, in which the data rows are packed. */
  spec: unknown;
  /** The specification's `config`; or, if an earlier chart stored an equal one, its index among the stored ones. */
  config: unknown;
}

/** Data of a chart after unpacking, as the page's script uses them. */
export interface PageFigure extends FigureNames {
  /** Facts about the drawn points; the index is the number that the SVG has in `data-i`. */
  points: PointFacts[];
  /** Unpacks the rows of the chart's CSV file. */
  rows(): FigureRow[];
  /** Unpacks the chart's Vega-Lite specification. */
  spec(): Record<string, unknown>;
}

/**
 * Unpacks the data of all charts of a page.
 * @param texts JSON of each chart in page order, because later charts refer to columns that earlier ones stored
 */
export function unpackFigures(texts: readonly string[]): PageFigure[] {
  const columns: FigureRow[string][][] = [];
  const configs: unknown[] = [];
  const unpackRows = (packed: PackedRows): FigureRow[] => {
    const fields = Object.entries(packed.columns);
    return Array.from({ length: packed.rows }, (_, i) =>
      Object.fromEntries(fields.map(([field, number]) => [field, columns[number]?.[i] ?? null])),
    );
  };
  return texts.map((text) => {
    const { fresh, points, rows, spec, config, ...names } = JSON.parse(text) as PackedFigure;
    columns.push(...fresh.map(unpackColumn));
    if (typeof config !== 'number') configs.push(config);
    const whole = typeof config === 'number' ? configs[config] : config;
    return {
      ...names,
      points: unpackRows(points) as PointFacts[],
      rows: () => unpackRows(rows),
      spec: () => ({ ...(unpackSpec(spec, unpackRows) as object), config: whole }),
    };
  });
}

const unpackColumn = (column: PackedColumn): FigureRow[string][] =>
  Array.isArray(column)
    ? column
    : column.runs.flatMap((word, i) =>
        i % 2 === 1 ? [] : Array<FigureRow[string]>(column.runs[i + 1] ?? 0).fill(column.words[word] ?? null),
      );

const isPackedRows = (value: unknown): value is PackedRows =>
  typeof value === 'object' && value !== null && 'columns' in value;

/** Returns a copy of a Vega-Lite specification in which the packed data rows are unpacked. */
function unpackSpec(value: unknown, unpackRows: (packed: PackedRows) => FigureRow[]): unknown {
  if (Array.isArray(value)) return value.map((one) => unpackSpec(one, unpackRows));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'values' && isPackedRows(one) ? unpackRows(one) : unpackSpec(one, unpackRows),
    ]),
  );
}
