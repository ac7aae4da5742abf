// Interval bands (shaded areas around lines), computed in one place for HTML pages, pictures and print.
import type { ChartRow } from './chart.ts';

/** Names of the fields in chart rows from which an interval band and its line are drawn. `low` and `high`: ends of the interval. */
export interface BandFields {
  low: string;
  high: string;
  /** Field that identifies a line: rows with an equal value of this field are points of one unbroken line. */
  stretch: string;
}

export interface BandRows {
  /**
   * All rows with the number of their band (shaded area of the intervals) in the field `band`, which is null if the row has no
   * interval.
   */
  rows: ChartRow[];
  /**
   * Rows that are the only ones in their band. An area needs two points, so the interval of such a row is drawn as a vertical line.
   */
  lone: ChartRow[];
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Divides the rows of a line chart into interval bands (shaded areas), and numbers the bands. A band joins neighbouring points of
 * one line that have an interval. It ends at a point without an interval.
 * @param rows rows in order of x within each line
 * @param fields names of the fields with the ends of the interval (`low`, `high`) and with the line (`stretch`)
 */
export function bandRows(rows: readonly ChartRow[], { low, high, stretch }: BandFields): BandRows {
  const open = new Map<unknown, number>();
  const sizes: number[] = [];
  const all = rows.map((row): ChartRow => {
    const line = row[stretch] ?? '';
    if (!isNumber(row[low]) || !isNumber(row[high])) {
      open.delete(line);
      return { ...row, band: null };
    }
    const band = open.get(line) ?? sizes.length;
    open.set(line, band);
    sizes[band] = (sizes[band] ?? 0) + 1;
    return { ...row, band };
  });
  return { rows: all, lone: all.filter(({ band }) => isNumber(band) && sizes[band] === 1) };
}
