import { derivedOf } from '../results/schema/index.ts';
import { chartedRow, derivedRows } from './rows.ts';
import { isOk, type SeriesGroup } from './series.ts';

/**
 * True if a derived rate equals the workload's main rate in every configuration, so that a chart of it would repeat another
 * one. Example: algorithm bandwidth, if the factor of bus bandwidth is 1.
 * @param name name of the derived rate
 */
export function isRepeated(group: SeriesGroup, name: string): boolean {
  const charted = chartedRow(group.row);
  const of = derivedRows(group.row).find((one) => one.name === name);
  if (charted === undefined || of === undefined || of === charted || of.unit !== charted.unit) return false;
  const cells = group.series.flatMap(({ slots }) => slots.flatMap(({ cell }) => (isOk(cell) ? [cell] : [])));
  return (
    cells.length > 0 &&
    cells.every((cell) =>
      [...of.from].every(
        (from) => derivedOf(cell, of.name, from)?.value === derivedOf(cell, charted.name, from)?.value,
      ),
    )
  );
}
