import { derivedOf } from '../results/schema/index.ts';
import { chartedRow, derivedRows } from './rows.ts';
import { isOk, type SeriesGroup } from './series.ts';

/** True if a rate equals the charted rate in every configuration: algorithm bandwidth where the factor is 1. */
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
