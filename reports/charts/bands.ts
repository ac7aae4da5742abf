// Bands of intervals, computed in one place for pages, pictures and print.
import type { ChartRow } from './chart.ts';

/** Field names of one band and of its line. */
export interface BandFields {
  low: string;
  high: string;
  /** Rows with the same value belong to one unbroken line. */
  stretch: string;
}

export interface BandRows {
  /** All rows with the number of their band: `band` is null if the row has no interval. */
  rows: ChartRow[];
  /** Rows that are alone in their band. They get a whisker instead of an area. */
  lone: ChartRow[];
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Numbers the bands. A band joins neighbouring points of one line that have an interval, and ends at a point without one.
 * @param rows rows in order of x within each line
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
