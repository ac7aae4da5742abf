import type { CellFigure, CellRecord, DerivedFigure, MeasuredFigure, SideFigure } from './cell.ts';
import type { FigureData, WorkloadData } from './workloads/data.ts';

/**
 * Returns the measured time `name` ("latency") of a cell; null if the cell has no such time, was not measured successfully, or is
 * null or undefined.
 */
export function measuredOf(cell: CellRecord | null | undefined, name: string): MeasuredFigure | null {
  if (cell?.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is MeasuredFigure => one.kind === 'measured' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/**
 * Returns all measured times (latency, pipelined) of a cell, in the order in which its workload lists them; empty if it was not
 * measured.
 */
export function allMeasuredFigures(cell: CellRecord): MeasuredFigure[] {
  return cell.status === 'ok'
    ? cell.figures.filter((one): one is MeasuredFigure => one.kind === 'measured')
    : [];
}

/**
 * Returns the figure `name` ("busbw") of a cell that was computed from the measured time `from` ("latency"); null if the cell has
 * none or was not measured successfully.
 */
export function derivedOf(cell: CellRecord, name: string, from: string): DerivedFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is DerivedFigure =>
    one.kind === 'derived' && one.name === name && one.from === from;
  return cell.figures.find(isIt) ?? null;
}

/**
 * Returns the figure `name` of a cell that was recorded in addition to the samples, such as the host's cost to queue an operation
 * ("enqueue"); null if the cell has none or was not measured successfully.
 */
export function sideOf(cell: CellRecord, name: string): SideFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is SideFigure => one.kind === 'side' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/**
 * Returns the time of one operation in ns, over all ranks. If ranks are late on purpose (`--skew`), it counts from the arrival of
 * the first rank, otherwise it is the latency. Null if the cell has neither or is undefined.
 */
export const wholeNsOf = (cell: CellRecord | undefined): number | null =>
  cell === undefined
    ? null
    : (sideOf(cell, 'fromFirst')?.value ?? measuredOf(cell, 'latency')?.value ?? null);

/**
 * Returns the descriptions of those figures of a workload that are computed from samples of a trial, such as latency. They are in
 * the workload's order. @param row the workload
 */
export const measuredRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial }) => trial !== null);

/**
 * Returns the descriptions of those figures of a workload that are recorded in addition to the samples, such as the enqueue cost.
 * They are in the workload's order; empty if there are none. @param row the workload
 */
export const sideRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial, from }) => trial === null && from.length === 0);

/**
 * Returns the names of the times that may be the main time of a cell, in the order in which tables prefer them: the first one
 * that the cell has is used. Comparisons of large messages prefer the last one. Empty if the workload marks none. @param row the
 * workload
 */
export const headlineNames = (row: WorkloadData): string[] =>
  row.figures.filter(({ isHeadline }) => isHeadline === true).map(({ name }) => name);

/** Reason that a figure names instead of its 95 % interval while more samples of the cell are still to come. */
export const partialReason = 'still being measured';

/** True if more samples of the cell are still to come, so that its figures are not final; false also for a cell without result. */
export const isStillMeasured = (cell: CellRecord): boolean =>
  cell.status === 'ok' &&
  cell.figures.some((one) => one.kind === 'measured' && one.intervalReason === partialReason);

/**
 * Returns the main time of a cell, with which tables begin; null if the cell has no time. Comparisons of large messages may judge
 * by another time. @param row the workload of the cell
 */
export function headlineOf(row: WorkloadData, cell: CellRecord): MeasuredFigure | null {
  for (const name of headlineNames(row)) {
    const found = measuredOf(cell, name);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns the trial from whose samples a figure is computed: "isolated", "pipelined". If the workload does not have the figure,
 * or does not compute it from samples, the result is `figure` itself. @param row the workload @param figure name of the figure
 */
export const trialOf = (row: WorkloadData, figure: string): string =>
  row.figures.find(({ name }) => name === figure)?.trial ?? figure;
