// Share of a bound. In some workloads one value of an axis serves as bound for the others, for example the cache layout that one
// transfer moves as a whole. The share tells how near the times of other values come to the time of the bound.
import { addTo } from '../results/collections.ts';
import type { AxisData } from '../results/schema/index.ts';
import { chartedRow, namedX } from './rows.ts';
import { axesOf, type Series, type SeriesGroup } from './series.ts';
import { compare, type PairedPoint } from './series-comparison.ts';
import { formatPercent, formatRatio, joinWords, plusMinusLog, shortTransport } from './wording.ts';

/**
 * Time of a series at one x, with the share of the bound that it reaches. The bound was measured in the same run over the same
 * transport. `axis`: the axis of which one value is the bound. `timeNs`: the time of one operation that the group's charts show.
 */
export interface BoundShare {
  group: SeriesGroup;
  series: Series;
  axis: AxisData;
  x: number;
  timeNs: number;
  /**
   * Time of the bound divided by the time of the series (`value`), 1 = as fast as the bound. `logHalfWidth`: half width of the 95 %
   * interval of the natural logarithm of `value`; null = no interval. `share` is null for the bound itself, and if the bound was
   * not measured at this x over the same transport.
   */
  share: (Pick<PairedPoint, 'logHalfWidth'> & { value: number }) | null;
}

const boundAxis = ({ row }: SeriesGroup): AxisData | undefined =>
  row.axes.find(({ bound }) => bound !== undefined);

/**
 * Returns a key that is equal for groups of series of one workload that differ only in `axis` (and x). One value of `axis` is the
 * bound of the others.
 */
const familyOf = (group: SeriesGroup, axis: AxisData): string => {
  const x = group.row.axes.find(({ role }) => role === 'x')?.name ?? '';
  return JSON.stringify([group.row.name, { ...axesOf(group), [axis.name]: null, [x]: null }]);
};

/**
 * Returns the measured points of workloads in which one value of an axis is the bound of its other values, if the bound and another
 * value were measured. The points of the bound itself are included, without a share. Groups that differ only in that axis stand
 * together; within a group the order is that of series, then x. Empty if no workload has a bound.
 */
export function boundShares(groups: readonly SeriesGroup[]): BoundShare[] {
  const families = new Map<string, { axis: AxisData; all: SeriesGroup[] }>();
  for (const group of groups) {
    const axis = boundAxis(group);
    if (axis === undefined || group.isMerged === true) continue;
    const key = familyOf(group, axis);
    const family = families.get(key) ?? { axis, all: [] };
    family.all.push(group);
    families.set(key, family);
  }
  return [...families.values()].flatMap(({ axis, all }) => {
    const bound = all.find((group) => axesOf(group)[axis.name] === axis.bound);
    return bound === undefined || all.length < 2 ? [] : all.flatMap((group) => sharesIn(group, bound, axis));
  });
}

function sharesIn(group: SeriesGroup, bound: SeriesGroup, axis: AxisData): BoundShare[] {
  return group.series.flatMap((series) => {
    const best = group === bound ? undefined : bound.series.find(({ key }) => key === series.key);
    const points = best === undefined ? [] : compare(best, series, group).points;
    return compare(series, series, group).points.map(({ x, aNs: timeNs }): BoundShare => {
      const point = points.find((one) => one.x === x);
      const share =
        point === undefined ? null : { value: point.aNs / point.bNs, logHalfWidth: point.logHalfWidth };
      return { group, series, axis, x, timeNs, share };
    });
  });
}

/** Returns the group's value of the axis of which one value is the bound, as titles show it: "layout page". */
const boundValueText = ({ group, axis }: Pick<BoundShare, 'group' | 'axis'>): string =>
  `${axis.titlePrefix ?? ''}${axesOf(group)[axis.name]}`;

/**
 * Returns a share of the bound with its interval: "86 % ±2.1 %"; from 200 % on as a ratio: "3.1x ±4 %". Without an interval it says
 * so.
 */
export function boundShareText({ value, logHalfWidth }: NonNullable<BoundShare['share']>): string {
  return `${value < 2 ? formatPercent(value) : formatRatio(value)}${logHalfWidth === null ? ' (no interval)' : ` ${plusMinusLog(logHalfWidth)}`}`;
}

/**
 * Returns one sentence per operation and transport about the share of the bound at the largest x: "over shm at prompt 512: layout
 * page 86 % ±2.1 % of the bandwidth of layout contiguous". An x without a known share does not count. Without full stops; empty if
 * no share is known.
 */
export function boundSentences(groups: readonly SeriesGroup[]): string[] {
  return largestShares(boundShares(groups), ({ group, axis }) => familyOf(group, axis)).map(
    ({ group, series, axis, x, text }) =>
      `over ${shortTransport(series.name)} at ${namedX(group.x, x)}: ${text} of the ${chartedRow(group.row)?.title ?? 'speed'} of ${axis.titlePrefix ?? ''}${axis.bound}`,
  );
}

/**
 * Returns one element per operation and transport, for the largest x with a known share. `text` names all shares there: "layout
 * page 86 % ±2.1 %".
 * @param operationOf returns a text that identifies the operation without the axis of the bound
 */
export function largestShares(
  all: readonly BoundShare[],
  operationOf: (one: BoundShare) => string,
): (BoundShare & { text: string })[] {
  const families = new Map<string, BoundShare[]>();
  for (const one of all)
    if (one.share !== null) addTo(families, `${operationOf(one)}/${one.series.key}`, one);
  return [...families.values()].flatMap((family) => {
    const x = Math.max(...family.map((one) => one.x));
    const last = family.filter((one) => one.x === x);
    const texts = last.flatMap((one) =>
      one.share === null ? [] : [`${boundValueText(one)} ${boundShareText(one.share)}`],
    );
    return last.slice(0, 1).map((first) => ({ ...first, text: joinWords(texts) }));
  });
}
