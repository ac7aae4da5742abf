import type { CellFigure, CellRecord, DerivedFigure, MeasuredFigure, SideFigure } from './cell.ts';
import type { FigureData, WorkloadData } from './workloads/data.ts';

/** Returns the cell's measured figure with this name; null if the cell has none, or has not been measured successfully. */
export function measuredOf(cell: CellRecord | null | undefined, name: string): MeasuredFigure | null {
  if (cell?.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is MeasuredFigure => one.kind === 'measured' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/** Returns the figures of a cell that are computed from samples, in the order in which its workload lists them. */
export function allMeasuredFigures(cell: CellRecord): MeasuredFigure[] {
  return cell.status === 'ok'
    ? cell.figures.filter((one): one is MeasuredFigure => one.kind === 'measured')
    : [];
}

/** Returns the derived figure `name` that is computed from the figure `from`; null if the cell has none. */
export function derivedOf(cell: CellRecord, name: string, from: string): DerivedFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is DerivedFigure =>
    one.kind === 'derived' && one.name === name && one.from === from;
  return cell.figures.find(isIt) ?? null;
}

/** Returns the figure `name` that was recorded beside the samples, such as the host's enqueue cost; null if the cell has none. */
export function sideOf(cell: CellRecord, name: string): SideFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is SideFigure => one.kind === 'side' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/** Returns the figures of a workload that are computed from samples, in the order of the workload's table row. */
export const measuredRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial }) => trial !== null);

/** Returns the figures that may be a cell's headline, best first: the first one that the cell has is its headline. */
export const headlineNames = (row: WorkloadData): string[] =>
  row.figures.filter(({ isHeadline }) => isHeadline === true).map(({ name }) => name);

/** Text stored instead of an interval while a cell is not yet completely measured. */
export const partialReason = 'still being measured';

export const isStillMeasured = (cell: CellRecord): boolean =>
  cell.status === 'ok' &&
  cell.figures.some((one) => one.kind === 'measured' && one.intervalReason === partialReason);

/** Returns the cell's headline, the figure by which comparisons judge; null if the cell has none. */
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
