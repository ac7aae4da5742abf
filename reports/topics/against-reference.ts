import { type AxisData, derivedOf, type FigureData, measuredOf } from '../../results/schema/index.ts';
import { tableOf } from '../document/blocks.ts';
import { namedX } from '../rows.ts';
import { axesOf, cellAt, type Series, type SeriesGroup } from '../series.ts';
import { compare, type PairedPoint } from '../series-comparison.ts';
import { endsText, formatRatio, shortTitles, shortTransport } from '../wording.ts';
import type { ReportTopic } from './topic.ts';

/**
 * A configuration compared with another one that differs only in an axis which has a reference value. Example: a skewed routing
 * compared with the uniform one.
 */
export interface ReferenceRow {
  group: SeriesGroup;
  /** Axis in which this configuration has another value than the reference value. */
  axis: AxisData;
  series: Series;
  point: PairedPoint;
  /**
   * Bytes that one operation moves over the busiest link, divided by those with the reference value; null if either is unknown, as
   * for workloads without a bandwidth per link.
   */
  loadRatio: number | null;
}

/**
 * Topic that compares skewed traffic matrices and routings with the uniform one: measured time, and bytes over the busiest port.
 */
export const againstReference: ReportTopic = {
  id: 'against-reference',
  chapter: 'ranks',
  title: 'Against even load',
  ofReport(groups) {
    const rows = referenceRows(groups);
    if (rows.length === 0) return [];
    const names = shortTitles(rows.map(({ group }) => group.title));
    return [
      tableOf<ReferenceRow>(
        [
          {
            head: names.head === '' ? 'operation' : names.head,
            cell: ({ group }) => names.textOf(group.title),
            isLong: true,
            maxWidth: 40,
            minWidth: 16,
          },
          { head: 'at', cell: ({ group, point }) => namedX(group.x, point.x) },
          { head: 'over', cell: ({ series }) => shortTransport(series.transport) },
          { head: 'even', quantity: 'ns', cell: ({ point }) => point.bNs },
          { head: 'time', quantity: 'ns', cell: ({ point }) => point.aNs },
          { head: 'ratio', align: 'right', cell: ({ point }) => formatRatio(point.aNs / point.bNs) },
          { head: '95 %', align: 'right', cell: ({ point }) => intervalText(point) },
          {
            head: 'load',
            align: 'right',
            cell: ({ loadRatio }) => (loadRatio === null ? null : formatRatio(loadRatio)),
          },
        ],
        rows,
        {
          title: 'Skewed beside uniform.',
          caption:
            'ratio: time over that of the uniform matrix or routing of the same size. load: bytes over the busiest port over those of the uniform one. If both are equal, the busiest port alone explains the time; a larger ratio has other causes, such as ranks that wait for one another.',
        },
      ),
    ];
  },
};

function intervalText({ aNs, bNs, logHalfWidth }: PairedPoint): string | null {
  if (logHalfWidth === null) return null;
  const [ratio, factor] = [aNs / bNs, Math.exp(logHalfWidth)];
  return endsText(ratio, { low: ratio / factor, high: ratio * factor }, formatRatio, '-');
}

/**
 * Returns every measured point whose axis has another value than the reference value, compared with the point that has the
 * reference value. Empty if no axis has a reference value.
 */
export const referenceRows = (groups: readonly SeriesGroup[]): ReferenceRow[] =>
  groups.flatMap((group) => rowsOf(group, groups));

function rowsOf(group: SeriesGroup, groups: readonly SeriesGroup[]): ReferenceRow[] {
  const axis = group.row.axes.find(({ reference }) => reference !== undefined);
  if (axis === undefined) return [];
  if ((axesOf(group)[axis.name] ?? null) === axis.reference) return [];
  const even = groups.find((other) => isReferenceOf(other, group, axis));
  if (even === undefined) return [];
  return group.series.flatMap((series) => {
    const beside = even.series.find(
      (other) =>
        other.run.id === series.run.id &&
        other.transport === series.transport &&
        other.member?.name === series.member?.name,
    );
    if (beside === undefined) return [];
    return compare(series, beside, group).points.map((point): ReferenceRow => {
      const [load, base] = [series, beside].map((one) =>
        rateTimesNs(one, group, point.x, ({ isPerLink }) => isPerLink === true),
      );
      const loadRatio = load == null || base == null || base === 0 ? null : load / base;
      return { group, axis, series, point, loadRatio };
    });
  });
}

/**
 * True if both groups of series differ only in `axis`, and `other` has the reference value in it. Axes that no title names are
 * ignored, because they follow from the others.
 */
function isReferenceOf(other: SeriesGroup, group: SeriesGroup, axis: AxisData): boolean {
  if (other.row.name !== group.row.name || axesOf(other)[axis.name] !== axis.reference) return false;
  const [a, b] = [axesOf(other), axesOf(group)];
  return group.row.axes
    .filter(({ name, role, untitled }) => name !== axis.name && role !== 'x' && untitled !== 'all')
    .every(({ name }) => a[name] === b[name]);
}

/**
 * Returns a rate times the time of one operation: bytes over the busiest link for a bandwidth per link. Null if the workload has no
 * such rate, or the series no result at x.
 * @param is returns true for the description of the rate
 */
export function rateTimesNs(
  series: Series,
  { row, figure }: SeriesGroup,
  x: number,
  is: (figure: FigureData) => boolean,
): number | null {
  const cell = cellAt(series, x);
  const [name, time] = [row.figures.find(is)?.name, measuredOf(cell, figure)];
  if (cell === null || name === undefined || time === null) return null;
  const rate = derivedOf(cell, name, figure);
  return rate === null ? null : rate.value * time.value;
}
