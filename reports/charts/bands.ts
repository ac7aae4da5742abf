// Where the band of an interval is drawn: one source for pages, pictures and print.
import type { ChartRow } from './chart.ts';

/** Names of the fields of one band, and of the unbroken line it belongs to. */
export interface BandFields {
  low: string;
  high: string;
  /** Rows with the same value lie on one unbroken line. */
  stretch: string;
}

export interface BandRows {
  /** Every row with the number of its band: `band` is null where the row has no interval. */
  rows: ChartRow[];
  /** Rows whose interval is alone in its band: a whisker is drawn in place of an area. */
  lone: ChartRow[];
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * A band joins neighbouring points of one line that all have an interval. It ends where a point has none.
 * @param rows of each line in the order of x
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
