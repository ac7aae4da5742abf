// Operations that have parts (FigureData.part): what readers compare, beside one another.
import { launchFigure } from '../../results/derive/index.ts';
import { type FigureData, type SideFigure, sideOf, type WorkloadData } from '../../results/schema/index.ts';
import { mergeComparedGroups } from '../report-chapters.ts';
import { cellAt, isOk, type Series, type SeriesGroup, xsOf } from '../series.ts';

export const partRows = ({ figures }: WorkloadData, part: FigureData['part']): FigureData[] =>
  figures.filter((one) => one.part === part);

/** What an operation of a series at x has of a part; null where it has none. */
export function partAt(series: Series, x: number, { name }: FigureData): SideFigure | null {
  const cell = cellAt(series, x);
  return isOk(cell) ? sideOf(cell, name) : null;
}

/** Steps that some operation of the group has, in the order of time, and what they leave of the whole. */
export function stepsOf(group: SeriesGroup): FigureData[] {
  return inGroup(group, [...partRows(group.row, 'step'), ...partRows(group.row, 'rest')]);
}

/** Times beside the whole that some operation of the group has. */
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

/** Groups with parts, those that readers compare as one. */
export const partGroups = (groups: readonly SeriesGroup[]): SeriesGroup[] =>
  mergeComparedGroups(groups).filter(hasParts);

/** Its chart opens the report. */
export const findGroupWithSteps = (groups: readonly SeriesGroup[]): SeriesGroup | null =>
  partGroups(groups).find((group) => stepsOf(group).length > 0) ?? null;

/** Of a group of its own its title says what it is, not over what it goes. */
export function variantName({ isMerged, row, series: all, title }: SeriesGroup, series: Series): string {
  if (isMerged === true || all.length > 1) return series.name;
  return title.startsWith(`${row.title} `) ? title.slice(row.title.length + 1) : title;
}

/**
 * The 95 % interval of a part between launches, as that of every figure (stats.md 3.1); null where launches are too few, or
 * where a part is not positive in one of them.
 */
export function partInterval({ launchValues }: SideFigure): { low: number; high: number } | null {
  if (launchValues.length < 2 || launchValues.some((ns) => !(ns > 0))) return null;
  return launchFigure(launchValues, [], null).interval;
}

/** Whether the first is larger for certain: their intervals do not overlap. */
export function isMore(a: SideFigure, b: SideFigure): boolean {
  const [of, than] = [partInterval(a), partInterval(b)];
  return of !== null && than !== null && of.low > than.high;
}
