// Reads the parts of an operation (counts such as doorbells, times of its steps; FigureData.part), and merges groups of series that
// readers compare by these parts.
import { launchFigure } from '../../results/derive/index.ts';
import {
  type FigureData,
  type SideFigure,
  sideOf,
  titleOf,
  type WorkloadData,
} from '../../results/schema/index.ts';
import { mergeComparedGroups } from '../report-chapters.ts';
import { axesOf, cellAt, isOk, type Series, type SeriesGroup, xsOf } from '../series.ts';

export const partRows = ({ figures }: WorkloadData, part: FigureData['part']): FigureData[] =>
  figures.filter((one) => one.part === part);

/**
 * Returns the value of one part of the operation (a time in ns or a count) of a series at x; null if it was not measured. The third
 * parameter describes the part.
 */
export function partAt(series: Series, x: number, { name }: FigureData): SideFigure | null {
  const cell = cellAt(series, x);
  return isOk(cell) ? sideOf(cell, name) : null;
}

/**
 * Returns descriptions of the steps of an operation that any series of the group has, in time order, followed by that of the rest:
 * the time that belongs to no step.
 */
export function stepsOf(group: SeriesGroup): FigureData[] {
  return inGroup(group, [...partRows(group.row, 'step'), ...partRows(group.row, 'rest')]);
}

/**
 * Returns descriptions of measured times of work that goes on during the whole operation, such as computation in a training step.
 * Empty if no series of the group has such a time.
 */
export const concurrentTimes = (group: SeriesGroup): FigureData[] =>
  inGroup(group, partRows(group.row, 'beside'));

/** Returns descriptions of those counts per operation, such as doorbells, that any series of the group has. */
export const countedRows = (group: SeriesGroup): FigureData[] => inGroup(group, partRows(group.row, 'count'));

const inGroup = (group: SeriesGroup, all: readonly FigureData[]): FigureData[] =>
  all.filter((of) => group.series.some((one) => xsOf([one]).some((x) => partAt(one, x, of) !== null)));

export function wholePartAt(series: Series, x: number, row: WorkloadData): SideFigure | null {
  const [whole] = partRows(row, 'whole');
  return whole === undefined ? null : partAt(series, x, whole);
}

/**
 * Returns the groups of series for which counts per operation, such as doorbells, were measured; most also have timed steps. Groups
 * that differ only in axes marked `isCompared` are merged.
 */
export const partGroups = (groups: readonly SeriesGroup[]): SeriesGroup[] =>
  mergeComparedGroups(groups).filter((group) => countedRows(group).length > 0);

/**
 * Returns the first group of partGroups() that also has timed steps; null if there is none. It may be merged from several of
 * `groups`. The chart on the first screen of the report shows this group.
 */
export const findGroupWithSteps = (groups: readonly SeriesGroup[]): SeriesGroup | null =>
  partGroups(groups).find((group) => stepsOf(group).length > 0) ?? null;

/**
 * Returns the name of a series for tables: `series.name` if the group has several series, or was merged from several operations.
 * Otherwise it is the group's title without the title of the workload.
 */
export const variantName = (group: SeriesGroup, series: Series): string =>
  group.isMerged === true || group.series.length > 1
    ? series.name
    : titleOf(group.row, axesOf(group), ', ', true);

/**
 * Returns the 95 % interval, in ns, of the time of one part of an operation, computed from one value per launch. Null with fewer
 * than four launches, if these differ too much for an interval, or if the value of any launch is not positive.
 */
export function partInterval({ launchValues }: SideFigure): { low: number; high: number } | null {
  if (launchValues.length < 2 || launchValues.some((ns) => !(ns > 0))) return null;
  return launchFigure(launchValues, [], null).interval;
}

/** True if the time `a` is certainly longer than `b`: both have 95 % intervals between launches, and these do not overlap. */
export function isMore(a: SideFigure, b: SideFigure): boolean {
  const [of, than] = [partInterval(a), partInterval(b)];
  return of !== null && than !== null && of.low > than.high;
}
