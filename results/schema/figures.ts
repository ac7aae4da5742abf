import type { CellFigure, CellRecord, DerivedFigure, MeasuredFigure, SideFigure } from './cell.ts';
import type { FigureData, WorkloadData } from './workloads/data.ts';

/** What a cell measured by this name; null = nothing. */
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

/** The figure that was made of `from`; null = none. */
export function derivedOf(cell: CellRecord, name: string, from: string): DerivedFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is DerivedFigure =>
    one.kind === 'derived' && one.name === name && one.from === from;
  return cell.figures.find(isIt) ?? null;
}

/** What was recorded beside the samples; null = nothing. */
export function sideOf(cell: CellRecord, name: string): SideFigure | null {
  if (cell.status !== 'ok') return null;
  const isIt = (one: CellFigure): one is SideFigure => one.kind === 'side' && one.name === name;
  return cell.figures.find(isIt) ?? null;
}

/** Measured figures of a row, in its order. */
export const measuredRows = (row: WorkloadData): FigureData[] =>
  row.figures.filter(({ trial }) => trial !== null);

/** Names of figures that lead: the first that a cell has is its headline. */
export const headlineNames = (row: WorkloadData): string[] =>
  row.figures.filter(({ isHeadline }) => isHeadline === true).map(({ name }) => name);

/** Why a figure has no interval yet: it is of the first blocks, and others follow. */
export const partialReason = 'still being measured';

export const isStillMeasured = (cell: CellRecord): boolean =>
  cell.status === 'ok' &&
  cell.figures.some((one) => one.kind === 'measured' && one.intervalReason === partialReason);

/** The headline figure of a cell; null where it has none. */
export function headlineOf(row: WorkloadData, cell: CellRecord): MeasuredFigure | null {
  for (const name of headlineNames(row)) {
    const found = measuredOf(cell, name);
    if (found !== null) return found;
  }
  return null;
}

/** How its samples were taken: "isolated", "pipelined"; the name of the figure where it has none of its own. */
export const trialOf = (row: WorkloadData, figure: string): string =>
  row.figures.find(({ name }) => name === figure)?.trial ?? figure;
