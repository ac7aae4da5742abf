import { type CellRecord, type MeasuredFigure, measuredOf, type OkCell } from '../schema/index.ts';

/** Parts of the result of one configuration (cell) of a collective that tests read most often. */
export interface CellFacts {
  cell: OkCell;
  latency: MeasuredFigure | null;
  pipelined: MeasuredFigure | null;
  flags: string[];
}

/** Parts of a measured cell. @throws {RangeError} if the cell was not measured */
export function cellFacts(cell: CellRecord): CellFacts {
  if (cell.status !== 'ok') throw new RangeError(`${cell.id} is ${cell.status}: ${cell.reason}`);
  return {
    cell,
    latency: measuredOf(cell, 'latency'),
    pipelined: measuredOf(cell, 'pipelined'),
    flags: cell.flags.map(({ name }) => name),
  };
}
