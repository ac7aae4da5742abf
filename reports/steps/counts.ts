import type { SideFigure } from '../../results/schema/index.ts';
import { fractionText } from '../column-units.ts';
import { type Series, type SeriesGroup, xsOf } from '../series.ts';
import { countedRows, partAt } from './variants.ts';

/**
 * Counts of events per operation in one series, such as doorbells rung or packets sent, and the x values (message sizes) at which
 * all these counts are the same.
 */
export interface SeriesCounts {
  series: Series;
  xs: number[];
  /** One count of events per operation for each item of countedRows(), in its order; null = not counted in this series. */
  counts: (SideFigure | null)[];
}

export const isVarying = ({ range }: SideFigure): boolean => range !== undefined && range.low !== range.high;

/**
 * Returns a count per operation as text: "32", or mean, lowest and highest count "1.25 (1 to 3)" if operations differ. '' for null.
 */
export function sideCountText(count: SideFigure | null): string {
  if (count === null) return '';
  const { range, value } = count;
  return range !== undefined && isVarying(count)
    ? `${fractionText(value)} (${fractionText(range.low)} to ${fractionText(range.high)})`
    : fractionText(value);
}

/**
 * Returns the counts per operation of each series: one element per series, or several if printed counts differ between x. An x
 * without any count is left out.
 */
export function countsOf(group: SeriesGroup): SeriesCounts[] {
  const rows = countedRows(group);
  return group.series.flatMap((series) => {
    const found: SeriesCounts[] = [];
    for (const x of xsOf([series])) {
      const counts = rows.map((of) => partAt(series, x, of));
      if (counts.every((count) => count === null)) continue;
      const known = found.find(
        (one) => one.counts.map(sideCountText).join() === counts.map(sideCountText).join(),
      );
      if (known === undefined) found.push({ series, xs: [x], counts });
      else known.xs.push(x);
    }
    return found;
  });
}
