// Chapters of a report. In runs with many series, groups of series that differ only in some options share a chart.
import { addTo } from '../results/collections.ts';
import {
  type AxisData,
  type AxisValue,
  fileKeyOf,
  flagText,
  headlineNames,
  measuredOf,
  titleOf,
  type WorkloadAxes,
} from '../results/schema/index.ts';
import { axesOf, type Series, type SeriesGroup, type SeriesTexts } from './series.ts';
import { seriesStyles } from './theme.ts';

/**
 * Maximum number of groups of series that get charts of their own. With more, groups are merged, because the page would become
 * too long to read.
 */
export const fullGroups = 8;

/** Maximum number of lines in a chart of merged groups; more lines are too many to tell apart. */
const maxLines = 12;

/**
 * A part of the report whose charts have the same lines. `group` has all its series. `of` are the original groups of series (one
 * operation with fixed options each) that were merged into `group`; only `group` itself if none were.
 */
export interface ReportChapter {
  group: SeriesGroup;
  of: readonly SeriesGroup[];
}

/**
 * Chooses axes (options of an operation, such as the data type) whose values become lines of one chart. Only axes in which the
 * groups differ are chosen: first those marked `isCompared`, then flags such as in-place, then those with more values. An axis is
 * skipped if a chart would then have too many lines. Returns them in the workload's order; empty if groups belong to different
 * workloads.
 * @param may returns true if the axis may be chosen
 * @param most maximum number of lines of one chart
 */
function sharedAxes(
  groups: readonly SeriesGroup[],
  may: (axis: AxisData) => boolean,
  most: number,
): AxisData[] {
  const [first] = groups;
  if (first === undefined || groups.some(({ row }) => row.name !== first.row.name)) return [];
  const found = first.row.axes
    .filter((axis) => axis.role === 'series' && may(axis))
    .map((axis) => ({ axis, count: new Set(groups.map((group) => axesOf(group)[axis.name])).size }))
    .filter(({ count }) => count > 1)
    .sort(
      (a, b) =>
        Number(b.axis.isCompared === true) - Number(a.axis.isCompared === true) ||
        Number(b.axis.words !== undefined) - Number(a.axis.words !== undefined) ||
        b.count - a.count,
    );
  const shared = new Set<AxisData>();
  for (const { axis } of found) {
    const wider = [...shared, axis];
    if (linesWith(groups, wider) <= most) shared.add(axis);
  }
  return first.row.axes.filter((axis) => shared.has(axis));
}

const keyWithout = (group: SeriesGroup, axes: readonly AxisData[]): string =>
  fileKeyOf(group.row, {
    ...axesOf(group),
    ...Object.fromEntries(axes.map(({ name }) => [name, null])),
  });

/**
 * Returns the largest number of lines that any chart would have if groups of series that differ only in the given axes shared a
 * chart.
 */
function linesWith(groups: readonly SeriesGroup[], axes: readonly AxisData[]): number {
  const lines = new Map<string, number>();
  for (const group of groups) {
    const key = keyWithout(group, axes);
    lines.set(key, (lines.get(key) ?? 0) + group.series.length);
  }
  return Math.max(...lines.values());
}

/** Returns the text of an axis value, such as "sum"; '' if the axis does not apply to the operation (null). */
const valueText = (axis: AxisData, value: AxisValue): string =>
  value === null ? '' : (flagText(axis, value) ?? `${axis.titlePrefix ?? ''}${value}`);

/**
 * Returns the values of some axes as one text, in order of the axes: "sum, in place", "triggered by block, batch 4". Values are
 * separated by a comma, or only by a space before a value whose axis does not apply to every point.
 * @param at values of all axes of a point
 * @param isPartial true if the axis does not apply to every point
 */
export function labelOf(
  axes: readonly AxisData[],
  at: WorkloadAxes,
  isPartial: (axis: AxisData) => boolean,
): string {
  const texts = axes.flatMap((axis) => {
    const text = valueText(axis, at[axis.name] ?? null);
    return text === '' ? [] : [{ text, between: isPartial(axis) ? ' ' : ', ' }];
  });
  return texts.map(({ text, between }, i) => (i === 0 ? '' : between) + text).join('');
}

const isCompared = (axis: AxisData): boolean => axis.isCompared === true;

/**
 * Returns the groups of series, merged so that some share charts. With up to eight groups, only groups that differ in axes marked
 * `isCompared` are merged; with more, groups that differ in any axes. Axes are chosen only as long as no chart gets more than
 * twelve lines. Groups of several workloads are not merged.
 */
export const chaptersOf = (groups: readonly SeriesGroup[]): ReportChapter[] =>
  merged(groups, groups.length <= fullGroups ? isCompared : () => true, maxLines);

/**
 * Merges groups of one workload that differ only in axes marked `isCompared`, however many lines a chart then has. Axes marked
 * `isOtherWork` (such as different models, whose work differs) are merged only if every group has a single series. If any group has
 * several, such as one per transport, each chart shows one kind of work and compares these series.
 */
export function mergeComparedGroups(groups: readonly SeriesGroup[]): SeriesGroup[] {
  const isWide = groups.some(({ series }) => series.length > 1);
  const may = (axis: AxisData) => isCompared(axis) && !(isWide && axis.isOtherWork === true);
  return merged(groups, may, Number.POSITIVE_INFINITY).map(({ group }) => group);
}

/**
 * True if all series of a group do the same work, so that a series may be called faster than another. Axes marked `isOtherWork`
 * change the work.
 */
export const isSameWork = ({ row, series }: SeriesGroup): boolean =>
  row.axes.every(
    ({ name, isOtherWork }) =>
      isOtherWork !== true || new Set(series.map((one) => one.slots[0]?.point.axes[name])).size < 2,
  );

function merged(
  groups: readonly SeriesGroup[],
  may: (axis: AxisData) => boolean,
  most: number,
): ReportChapter[] {
  const alone = groups.map((group) => ({ group, of: [group] }));
  const shared = sharedAxes(groups, may, most);
  if (shared.length === 0) return alone;
  const chapters = new Map<string, SeriesGroup[]>();
  const without = Object.fromEntries(shared.map(({ name }) => [name, null]));
  for (const group of groups) {
    const key = keyWithout(group, shared);
    addTo(chapters, key, group);
  }
  return [...chapters].flatMap(([key, of]) => {
    const [first] = of;
    if (first === undefined) return [];
    if (of.length === 1) return [{ group: first, of }];
    const title = titleOf(first.row, { ...axesOf(first), ...without });
    const figure = comparableTime(of) ?? first.figure;
    return [{ group: { ...first, key, title, figure, series: seriesOf(of, shared), isMerged: true }, of }];
  });
}

/**
 * Returns the name of the main measured time, such as "latency", by which the groups can be compared. It is the first for which all
 * configurations that have this time used one clock and one way of synchronising ranks. Undefined if there is none.
 */
function comparableTime(groups: readonly SeriesGroup[]): string | undefined {
  const cells = groups.flatMap(({ series }) => series.flatMap(({ slots }) => slots.map(({ cell }) => cell)));
  return groups
    .flatMap(({ row }) => headlineNames(row))
    .find((name) => {
      const methods = cells.flatMap((cell) => measuredOf(cell, name)?.method ?? []);
      return methods.length > 0 && new Set(methods.map(({ clock, sync }) => `${clock} ${sync}`)).size === 1;
    });
}

function seriesOf(groups: readonly SeriesGroup[], shared: readonly AxisData[]): Series[] {
  const isPartial = ({ name }: AxisData) => groups.some((group) => (axesOf(group)[name] ?? null) === null);
  const all = groups.flatMap((group) => {
    const what = labelOf(shared, axesOf(group), isPartial) || group.title;
    return group.series.map((series) => {
      const named = <T extends SeriesTexts>(texts: T): T => {
        const name = group.series.length > 1 ? `${what} over ${texts.name}` : what;
        return { ...texts, name, label: name, shortLabel: name };
      };
      return { ...named(series), key: `${group.key}/${series.key}`, unranked: named(series.unranked) };
    });
  });
  const looks = seriesStyles(all.map(({ transport }) => transport));
  return all.map((series, i) => ({ ...series, ...looks[i] }));
}
