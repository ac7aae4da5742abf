// Data of a page's figures. The page stores each figure as JSON in a script element; equal columns are stored once for the whole
// page. figure-data.ts packs the data, and the page's script unpacks it.

/** Row of a figure's data by field name; null = no value. */
type FigureRow = Record<string, string | number | null>;

/**
 * A column of figure data in compact form. Numbers are stored as they are. Texts are stored as a list of different texts
 * (`words`) and run lengths: [text index, count, text index, count, ...].
 */
export type PackedColumn = (number | null)[] | { words: (string | number | null)[]; runs: number[] };

/** Data rows of a figure, stored as references to columns that all figures of a page share. */
export interface PackedRows {
  rows: number;
  /** Index of each field's column in the page's common list of columns. */
  columns: Record<string, number>;
}

/** Facts about a drawn point, for its card and for the filter. Fields after `series` are absent if the point shows none. */
export type PointFacts = {
  /** Text that names the point and its value: "socket, 8 B: 4.71 µs". */
  tip: string;
  series: string | null;
  transport?: string | null;
  /** The operation: "allreduce". */
  what?: string | null;
  x?: number | null;
  /** The x value as text: "64 KiB". */
  at?: string | null;
  /** The measured time in ns, as are all times below. */
  value?: number | null;
  low?: number | null;
  high?: number | null;
  /** Reason why the point has no interval. */
  why?: string | null;
  samples?: number | null;
  launches?: number | null;
  min?: number | null;
  p5?: number | null;
  p95?: number | null;
  p99?: number | null;
  max?: number | null;
  /** Time of each launch in ns, as text separated by spaces. */
  each?: string | null;
  /** Histogram of the samples: lowest and highest time, then one digit in base 36 for the height of each bar. */
  bins?: string | null;
};

interface FigureNames {
  /** Figure number, counted through the page. */
  number: number;
  /** File name without ending. */
  name: string;
  title: string;
  /** Name of the host that the figure shows; absent if it shows no host or several. */
  host?: string;
  /** Names of the series, by their number in the drawing. */
  series: string[];
}

/** Data of a figure in the compact form that the page stores as JSON. */
export interface PackedFigure extends FigureNames {
  /** Data columns that this figure adds to the page's common list of columns. */
  fresh: PackedColumn[];
  points: PackedRows;
  rows: PackedRows;
  /** Vega-Lite specification without `config`; packed rows are in place of its data. */
  spec: unknown;
  /** The specification's `config`, or the number of an equal one among those that earlier figures stored. */
  config: unknown;
}

/** Data of a figure after unpacking, as the page's script uses them. */
export interface PageFigure extends FigureNames {
  /** Facts about the drawn points; the index is the number that the SVG has in `data-i`. */
  points: PointFacts[];
  /** Unpacks the rows of the figure's CSV file. */
  rows(): FigureRow[];
  /** Unpacks the Vega-Lite specification. */
  spec(): Record<string, unknown>;
}

/** Unpacks the figures of a page. @param texts JSON of each figure in page order, because later figures use earlier columns */
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

/** Returns a copy of a Vega-Lite specification in which data rows replace the packed ones. */
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
