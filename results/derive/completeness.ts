import type { CellRecord, OkCell, RunPlan } from '../schema/index.ts';

export interface MissingCell {
  point: number;
  transport: number;
  /** As people name it: "allreduce 1048576 B over socket". */
  name: string;
  reason: string;
}

export interface Completeness {
  cellsMeasured: number;
  cellsExpected: number;
  checks: number;
  checksExpected: number;
  missing: MissingCell[];
  /** Cells that were to be verified and were not, though they were measured. */
  unverified: OkCell[];
  complete: boolean;
}

const placeOf = (point: number, transport: string, group: number | undefined): string =>
  `${point} ${transport} ${group ?? ''}`;

/** Transports by index, each with every group where there are some. */
const seriesOf = ({ transports, groups }: RunPlan) =>
  [...transports.entries()].flatMap(([index, over]) =>
    (groups?.members.map((_, group) => group) ?? [undefined]).map((group) => [index, over, group] as const),
  );

/**
 * Whether the run holds what its plan promised (design: what is missing is an error). A cell counts as measured with at
 * least one trial kind; half measured ones (one of two kinds) are missing the other half and are listed.
 * @param cells the last record of each cell
 */
export function completeness(plan: RunPlan, cells: readonly CellRecord[]): Completeness {
  const byPlace = new Map(
    cells.map((cell) => [placeOf(cell.point, cell.transport, cell.group?.index), cell]),
  );
  const missing: MissingCell[] = [];
  const measured: OkCell[] = [];
  for (const [point, at] of plan.points.entries()) {
    for (const [transport, over, group] of seriesOf(plan)) {
      const cell = byPlace.get(placeOf(point, over.name, group));
      const member = group === undefined ? '' : `, ${plan.groups?.members[group]?.name}`;
      const name = `${at.collective} ${at.payloadBytes} B over ${over.name}${member}`;
      if (cell === undefined) missing.push({ point, transport, name, reason: 'no record of it' });
      else if (cell.status !== 'ok') missing.push({ point, transport, name, reason: cell.reason });
      else {
        if (cell.isolated === null && cell.pipelined === null) {
          missing.push({ point, transport, name, reason: 'no sample could be used' });
          continue;
        }
        if (cell.isolated === null) missing.push({ point, transport, name, reason: 'no isolated samples' });
        if (cell.pipelined === null) missing.push({ point, transport, name, reason: 'no pipelined samples' });
        measured.push(cell);
      }
    }
  }
  const checks = measured.reduce((sum, cell) => sum + cell.verification.checks, 0);
  const unverified = plan.sampling.check > 0 ? measured.filter((cell) => cell.verification.checks === 0) : [];
  const cellsExpected = plan.expected.cells;
  return {
    cellsMeasured: measured.length,
    cellsExpected,
    checks,
    checksExpected: plan.expected.checks,
    missing,
    unverified,
    complete:
      missing.length === 0 &&
      unverified.length === 0 &&
      measured.length >= cellsExpected &&
      checks >= plan.expected.checks,
  };
}
