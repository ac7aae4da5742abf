import type { CellFigure, CellRecord, DerivedFigure, MeasuredFigure, SideFigure } from './cell.ts';
import type { FigureData, WorkloadData } from './workloads/data.ts';

/** The measured figure of this name; null if the cell has none. */
export function measuredOf(cell: CellRecord | null | undefined, name: string): MeasuredFigure | null {
  if (cell?.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is MeasuredFigure => one.kind === 'measured' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/** All measured figures of a cell, in the order of its workload's row. */
export function allMeasuredFigures(cell: CellRecord): MeasuredFigure[] {
  return cell.status === 'ok'
    ? cell.figures.filter((one): one is MeasuredFigure => one.kind === 'measured')
    : [];
}

/** The derived figure of this name that is computed from `from`; null = none. */
export function derivedOf(cell: CellRecord, name: string, from: string): DerivedFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is DerivedFigure =>
    one.kind === 'derived' && one.name === name && one.from === from;
  return cell.figures.find(isIt) ?? null;
}

/** The side figure of this name, recorded together with the samples; null = none. */
export function sideOf(cell: CellRecord, name: string): SideFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is SideFigure => one.kind === 'side' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/** Measured figures of a row, in the order of the row. */
export const measuredRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial }) => trial !== null);

/** Names of headline candidates in order: the first one that a cell has is its headline. */
export const headlineNames = (row: WorkloadData): string[] =>
  row.figures.filter(({ isHeadline }) => isHeadline === true).map(({ name }) => name);

/** Reason stored for a missing interval while a cell has only its first blocks. */
export const partialReason = 'still being measured';

export const isStillMeasured = (cell: CellRecord): boolean =>
  cell.status === 'ok' &&
  cell.figures.some((one) => one.kind === 'measured' && one.intervalReason === partialReason);

/** The headline figure of a cell; null if the cell has none. */
export function headlineOf(row: WorkloadData, cell: CellRecord): MeasuredFigure | null {
  for (const name of headlineNames(row)) {
    const found = measuredOf(cell, name);
    if (found !== null) return found;
  }
  return null;
}

/** Trial kind of a figure: "isolated", "pipelined"; the figure's own name if it has no samples. */
export const trialOf = (row: WorkloadData, figure: string): string =>
  row.figures.find(({ name }) => name === figure)?.trial ?? figure;
