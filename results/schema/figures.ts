import type { CellFigure, CellRecord, DerivedFigure, MeasuredFigure, SideFigure } from './cell.ts';
import type { FigureData, WorkloadData } from './workloads/data.ts';

/** Returns the measured time `name` ("latency") of a result; null if it lacks it, or was not measured successfully. */
export function measuredOf(cell: CellRecord | null | undefined, name: string): MeasuredFigure | null {
  if (cell?.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is MeasuredFigure => one.kind === 'measured' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/** Returns all measured times (latency, pipelined) of a result, in the order in which its workload lists them. */
export function allMeasuredFigures(cell: CellRecord): MeasuredFigure[] {
  return cell.status === 'ok'
    ? cell.figures.filter((one): one is MeasuredFigure => one.kind === 'measured')
    : [];
}

/** Returns the computed value `name` ("busbw") that comes from the measured time `from` ("latency"); null if there is none. */
export function derivedOf(cell: CellRecord, name: string, from: string): DerivedFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is DerivedFigure =>
    one.kind === 'derived' && one.name === name && one.from === from;
  return cell.figures.find(isIt) ?? null;
}

/** Returns a value that was recorded beside the samples, such as the host's enqueue cost ("enqueue"); null if there is none. */
export function sideOf(cell: CellRecord, name: string): SideFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is SideFigure => one.kind === 'side' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/**
 * Returns the time in ns that an operation takes all ranks together: from the first arrival where ranks are late on purpose
 * (`--skew`), otherwise its latency. Null without samples.
 */
export const wholeNsOf = (cell: CellRecord | undefined): number | null =>
  cell === undefined
    ? null
    : (sideOf(cell, 'fromFirst')?.value ?? measuredOf(cell, 'latency')?.value ?? null);

/** Returns descriptions of the times that a workload measures by samples: latency, pipelined. @param row the workload */
export const measuredRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial }) => trial !== null);

/** Returns descriptions of the values that are recorded beside the samples, such as enqueue cost. @param row the workload */
export const sideRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial, from }) => trial === null && from.length === 0);

/** Returns names of the times that may be the main one of a result, best first; the first that it has is used. */
export const headlineNames = (row: WorkloadData): string[] =>
  row.figures.filter(({ isHeadline }) => isHeadline === true).map(({ name }) => name);

/** Text that stands in place of a 95 % interval while more samples of the configuration are still to come. */
export const partialReason = 'still being measured';

export const isStillMeasured = (cell: CellRecord): boolean =>
  cell.status === 'ok' &&
  cell.figures.some((one) => one.kind === 'measured' && one.intervalReason === partialReason);

/** Returns the main time of a result, by which comparisons judge; null if it has none. @param row its workload */
export function headlineOf(row: WorkloadData, cell: CellRecord): MeasuredFigure | null {
  for (const name of headlineNames(row)) {
    const found = measuredOf(cell, name);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns the kind of trial whose samples give the figure: "isolated", "pipelined". Without such samples: the figure's own name.
 */
export const trialOf = (row: WorkloadData, figure: string): string =>
  row.figures.find(({ name }) => name === figure)?.trial ?? figure;
