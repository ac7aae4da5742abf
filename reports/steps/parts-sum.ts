// Explains the extra time of one series compared with another by the steps that take longer, and by counts that differ.
import type { FigureData } from '../../results/schema/index.ts';
import type { Series, SeriesGroup } from '../series.ts';
import { isMore, partAt, partRows, stepsOf, wholePartAt } from './variants.ts';

export interface PartsSum {
  /**
   * Extra time of one whole operation in ns, compared with the other series; null if the intervals do not show that it takes
   * longer.
   */
  ns: number | null;
  /**
   * Steps that certainly take longer than in the other series, or that the other series lacks, each by at least 15 % of the extra
   * time, the largest difference first; `ns`: difference in ns. Empty if the extra time is null.
   */
  steps: { of: FigureData; ns: number }[];
  /**
   * Counts per operation, such as doorbells, that differ between both series, without those that depend on the hardware; `by`:
   * count of this series minus that of the other.
   */
  counts: { of: FigureData; by: number }[];
}

/** Minimum share of the extra time that a step must account for to be named. */
const minShare = 0.15;

export function partsSum(group: SeriesGroup, series: Series, than: Series, x: number): PartsSum {
  const whole = wholePartAt(series, x, group.row);
  const least = wholePartAt(than, x, group.row);
  const ns = whole !== null && least !== null && isMore(whole, least) ? whole.value - least.value : null;
  const steps = stepsOf(group)
    .flatMap((of) => {
      const [mine, other] = [partAt(series, x, of), partAt(than, x, of)];
      if (mine === null || ns === null) return [];
      const more = mine.value - (other?.value ?? 0);
      return more >= minShare * ns && (other === null || isMore(mine, other)) ? [{ of, ns: more }] : [];
    })
    .sort((a, b) => b.ns - a.ns);
  const counts = partRows(group.row, 'count').flatMap((of) => {
    const [mine, other] = [partAt(series, x, of), partAt(than, x, of)];
    // Counts that depend on the hardware are left out, because they do not explain the time.
    return mine === null || other === null || mine.value === other.value || of.isOfHardware === true
      ? []
      : [{ of, by: mine.value - other.value }];
  });
  return { ns, steps, counts };
}
