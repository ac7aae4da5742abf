// Gains of batching messages (coalescing): how counts per operation and its time change with the batch size or a similar numeric
// axis.
import { addTo } from '../../results/collections.ts';
import type { AxisData, FigureData } from '../../results/schema/index.ts';
import { labelOf } from '../report-chapters.ts';
import { axesOfSeries, cellAt, figureOf, type Series, type SeriesGroup } from '../series.ts';
import { partAt, partRows } from './variants.ts';

export interface CoalescingGain {
  axis: AxisData;
  /**
   * Text about the options that are equal in both compared series but vary in the group, with the name of their group of ranks:
   * "triggered by block", "triggered by block, rail 0"; '' if there are none.
   */
  name: string;
  /** The two compared series: `from` has the lowest value of the axis (such as the batch size), `to` the highest. */
  from: { value: number; series: Series };
  to: { value: number; series: Series };
  x: number;
  counts: { of: FigureData; from: number; to: number }[];
  /**
   * Times per operation of both series, in ns; null if one has no time or no interval. `isApart` is true if the two intervals do
   * not overlap.
   */
  time: { from: number; to: number; isApart: boolean } | null;
}

/**
 * Compares the series with the lowest and the highest value of a numeric axis that is marked `isCompared`, such as the batch size.
 * Run, transport, group of ranks and all other options of both series are equal. There is one comparison per such axis, group of
 * ranks and combination of the other options.
 * @param x message size (or other x value) of the comparison
 */
export function coalescingGains(group: SeriesGroup, x: number): CoalescingGain[] {
  const axes = group.row.axes.filter(({ role }) => role === 'series');
  const varies = (axis: AxisData) =>
    new Set(group.series.map((one) => axesOfSeries(one)[axis.name] ?? null)).size > 1;
  return axes
    .filter((axis) => axis.isNumber === true && axis.isCompared === true && varies(axis))
    .flatMap((axis) => {
      const others = axes.filter((one) => one !== axis && varies(one));
      const isPartial = ({ name }: AxisData) =>
        group.series.some((one) => (axesOfSeries(one)[name] ?? null) === null);
      const nameOf = (series: Series): string =>
        [labelOf(others, axesOfSeries(series), isPartial), series.member?.name ?? '']
          .filter((text) => text !== '')
          .join(', ');
      const families = new Map<string, Series[]>();
      for (const series of group.series) {
        const name = nameOf(series);
        const key = `${series.run.id}/${series.transport}/${name}`;
        addTo(families, key, series);
      }
      return [...families.values()].flatMap((family) => {
        const ordered = family
          .map((series) => ({ series, value: Number(axesOfSeries(series)[axis.name]) }))
          .sort((a, b) => a.value - b.value);
        const [from, to] = [ordered[0], ordered.at(-1)];
        if (from === undefined || to === undefined || from === to) return [];
        return [
          {
            axis,
            name: nameOf(from.series),
            from,
            to,
            x,
            counts: countsOf(group, from.series, to.series, x),
            time: timeOf(group, from.series, to.series, x),
          },
        ];
      });
    });
}

const countsOf = ({ row }: SeriesGroup, a: Series, b: Series, x: number): CoalescingGain['counts'] =>
  partRows(row, 'count').flatMap((of) => {
    const [from, to] = [partAt(a, x, of)?.value, partAt(b, x, of)?.value];
    return from === undefined || to === undefined || from === to ? [] : [{ of, from, to }];
  });

function timeOf(group: SeriesGroup, a: Series, b: Series, x: number): CoalescingGain['time'] {
  const [from, to] = [figureOf(cellAt(a, x), group), figureOf(cellAt(b, x), group)];
  if (from?.interval == null || to?.interval == null) return null;
  const isApart = from.interval.low > to.interval.high || to.interval.low > from.interval.high;
  return { from: from.value, to: to.value, isApart };
}
