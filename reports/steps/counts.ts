import type { FigureData, SideFigure } from '../../results/schema/index.ts';
import { fractionText } from '../column-units.ts';
import { type Series, type SeriesGroup, xsOf } from '../series.ts';
import { partAt, partRows } from './variants.ts';

/** What every operation of a series has, at these x. */
export interface SeriesCounts {
  series: Series;
  xs: number[];
  /** In the order of countedRows(). */
  counts: (SideFigure | null)[];
}

/** Kinds of counts that some operation of the group has. */
export const countedRows = (group: SeriesGroup): FigureData[] =>
  partRows(group.row, 'count').filter((of) =>
    group.series.some((one) => xsOf([one]).some((x) => partAt(one, x, of) !== null)),
  );

export const isVarying = ({ range }: SideFigure): boolean => range !== undefined && range.low !== range.high;

/** "32"; "1.25 (1 to 3)" where operations differ. */
export function sideCountText(count: SideFigure | null): string {
  if (count === null) return '';
  const { range, value } = count;
  return range !== undefined && isVarying(count)
    ? `${fractionText(value)} (${fractionText(range.low)} to ${fractionText(range.high)})`
    : fractionText(value);
}

/** A row per series; several where its counts differ along x. */
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
