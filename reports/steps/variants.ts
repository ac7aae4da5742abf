// Groups of operations with parts (FigureData.part), merged so that readers can compare variants.
import { launchFigure } from '../../results/derive/index.ts';
import { type FigureData, type SideFigure, sideOf, type WorkloadData } from '../../results/schema/index.ts';
import { mergeComparedGroups } from '../report-chapters.ts';
import { cellAt, isOk, type Series, type SeriesGroup, xsOf } from '../series.ts';

export const partRows = ({ figures }: WorkloadData, part: FigureData['part']): FigureData[] =>
  figures.filter((one) => one.part === part);

/** Returns a part's figure at x of a series; null if the operation has no such part. */
export function partAt(series: Series, x: number, { name }: FigureData): SideFigure | null {
  const cell = cellAt(series, x);
  return isOk(cell) ? sideOf(cell, name) : null;
}

/** Returns the steps that occur in the group, in time order, and then the rest of the whole time. */
export function stepsOf(group: SeriesGroup): FigureData[] {
  return inGroup(group, [...partRows(group.row, 'step'), ...partRows(group.row, 'rest')]);
}

/** Returns the times, concurrent with the whole, that occur in the group. */
export const concurrentTimes = (group: SeriesGroup): FigureData[] =>
  inGroup(group, partRows(group.row, 'beside'));

const inGroup = (group: SeriesGroup, all: readonly FigureData[]): FigureData[] =>
  all.filter((of) => group.series.some((one) => xsOf([one]).some((x) => partAt(one, x, of) !== null)));

export function wholePartAt(series: Series, x: number, row: WorkloadData): SideFigure | null {
  const [whole] = partRows(row, 'whole');
  return whole === undefined ? null : partAt(series, x, whole);
}

const hasParts = ({ row, series }: SeriesGroup): boolean =>
  series.some((one) =>
    xsOf([one]).some((x) => partRows(row, 'count').some((of) => partAt(one, x, of) !== null)),
  );

/** Returns the groups with parts; groups that readers compare are merged. */
export const partGroups = (groups: readonly SeriesGroup[]): SeriesGroup[] =>
  mergeComparedGroups(groups).filter(hasParts);

/** Returns the first group with steps, or null. Its chart is the first of the report. */
export const findGroupWithSteps = (groups: readonly SeriesGroup[]): SeriesGroup | null =>
  partGroups(groups).find((group) => stepsOf(group).length > 0) ?? null;

/** Returns the name of a variant. In a group of one series this is its title without the workload's name. */
export function variantName({ isMerged, row, series: all, title }: SeriesGroup, series: Series): string {
  if (isMerged === true || all.length > 1) return series.name;
  return title.startsWith(`${row.title} `) ? title.slice(row.title.length + 1) : title;
}

/**
 * Returns the 95 % interval of a part between launches, as for every figure (stats.md 3.1). Null if there are too few launches,
 * or if the part is not positive in one of them.
 */
export function partInterval({ launchValues }: SideFigure): { low: number; high: number } | null {
  if (launchValues.length < 2 || launchValues.some((ns) => !(ns > 0))) return null;
  return launchFigure(launchValues, [], null).interval;
}

/** True if `a` is larger than `b` with certainty: their intervals do not overlap. */
export function isMore(a: SideFigure, b: SideFigure): boolean {
  const [of, than] = [partInterval(a), partInterval(b)];
  return of !== null && than !== null && of.low > than.high;
}
