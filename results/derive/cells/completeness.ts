import { pointText } from '../../axis-text.ts';
import {
  type CellRecord,
  dataOf,
  measuredOf,
  measuredRows,
  type OkCell,
  type RunPlan,
  skewNsOf,
} from '../../schema/index.ts';

export interface UnmeasuredCell {
  /** Name of the configuration for readers, with its group of ranks if there is one: "allreduce 1 MiB over socket". */
  name: string;
  /** Why it has no result, or which of its trials has none, as a clause for readers. */
  reason: string;
}

export interface RunCompleteness {
  /** Number of configurations measured, and planned (`cellsExpected`); each group of ranks counts. */
  cellsMeasured: number;
  cellsExpected: number;
  /** Number of operations whose result was verified, summed over the ranks that verify; `checksExpected`: lowest number planned. */
  checks: number;
  checksExpected: number;
  /** Configurations without a result, and trials without one of otherwise measured configurations, in the order of the plan. */
  missing: UnmeasuredCell[];
  /** Measured configurations of which no operation's data was checked, although the plan requires checks. */
  unverified: OkCell[];
  complete: boolean;
}

const placeOf = (point: number, transport: string, group: number | undefined): string =>
  `${point} ${transport} ${group ?? ''}`;

/**
 * Returns [transport of the plan, index of the group of ranks] for all combinations in the plan. Without groups each transport
 * appears once, with the index undefined.
 */
const seriesOf = ({ transports, groups }: RunPlan) =>
  transports.flatMap((over) =>
    (groups?.members.map((_, group) => group) ?? [undefined]).map((group) => [over, group] as const),
  );

/**
 * Compares a run with its plan. A configuration counts as measured if at least one of its planned trials has usable samples; if the
 * other trial has none, the configuration is also listed as missing.
 * @param cells the last result of each configuration
 * @returns `complete`: nothing is missing or unverified, and the planned numbers of results and checks are reached
 */
export function completeness(plan: RunPlan, cells: readonly CellRecord[]): RunCompleteness {
  const byPlace = new Map(
    cells.map((cell) => [placeOf(cell.point, cell.transport, cell.group?.index), cell]),
  );
  const missing: UnmeasuredCell[] = [];
  const measured: OkCell[] = [];
  for (const [point, at] of plan.points.entries()) {
    for (const [over, group] of seriesOf(plan)) {
      const cell = byPlace.get(placeOf(point, over.name, group));
      const member = group === undefined ? '' : `, ${plan.groups?.members[group]?.name}`;
      const name = `${pointText(at, plan.workloads)} over ${over.name}${member}`;
      if (cell === undefined) missing.push({ name, reason: 'no record of it' });
      else if (cell.status !== 'ok') missing.push({ name, reason: cell.reason });
      else {
        const due = measuredRows(dataOf(at.workload, plan.workloads)).filter(
          // Only isolated operations have a common start by which ranks can be late.
          ({ trial }) => trial === 'isolated' || skewNsOf(over) === 0,
        );
        const lacking = due.filter(({ name: figure }) => measuredOf(cell, figure) === null);
        if (lacking.length === due.length) {
          missing.push({ name, reason: 'no sample could be used' });
          continue;
        }
        for (const { trial } of lacking) missing.push({ name, reason: `no ${trial} samples` });
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
