// What one kind of operation does more than another.
import type { FigureData } from '../../results/schema/index.ts';
import type { Series, SeriesGroup } from '../series.ts';
import { isMore, partAt, partRows, stepsOf, wholePartAt } from './variants.ts';

export interface PartsSum {
  /** Of the whole, ns; null where intervals do not show that it takes longer. */
  ns: number | null;
  /** Those that take longer beyond their intervals, the most first. */
  steps: { of: FigureData; ns: number }[];
  /** Counts that are not equal, and by how much. */
  counts: { of: FigureData; by: number }[];
}

/** Smaller shares of what is added explain nothing. */
const leastShare = 0.15;

export function partsSum(group: SeriesGroup, series: Series, than: Series, x: number): PartsSum {
  const whole = wholePartAt(series, x, group.row);
  const least = wholePartAt(than, x, group.row);
  const ns = whole !== null && least !== null && isMore(whole, least) ? whole.value - least.value : null;
  const steps = stepsOf(group)
    .flatMap((of) => {
      const [mine, other] = [partAt(series, x, of), partAt(than, x, of)];
      if (mine === null || ns === null) return [];
      const more = mine.value - (other?.value ?? 0);
      return more >= leastShare * ns && (other === null || isMore(mine, other)) ? [{ of, ns: more }] : [];
    })
    .sort((a, b) => b.ns - a.ns);
  const counts = partRows(group.row, 'count').flatMap((of) => {
    const [mine, other] = [partAt(series, x, of), partAt(than, x, of)];
    // What depends on the hardware explains no time.
    return mine === null || other === null || mine.value === other.value || of.isOfHardware === true
      ? []
      : [{ of, by: mine.value - other.value }];
  });
  return { ns, steps, counts };
}
