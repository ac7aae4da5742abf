import {
  type AxisData,
  dataOf,
  partsOfKey,
  type WorkloadAxes,
  type WorkloadData,
  whatOf,
  xOf,
} from './schema/index.ts';
import { durationText, sizeText } from './units.ts';

/** Value of an axis for readers: "1 MiB", "5 us", "42". */
export function axisText({ unit }: Pick<AxisData, 'unit'>, value: number): string {
  if (unit === 'B') return sizeText(value);
  if (unit === '%') return `${value} %`;
  return unit === 'ns' ? durationText(value) : String(value);
}

/** Value of x of a cell: "1 MiB"; its operation if the workload has no x. */
export function xText({ workload, axes }: { workload: string; axes: WorkloadAxes }): string {
  const row = dataOf(workload);
  const x = xOf(row, axes);
  return x === null ? whatOf(row, axes) : axisText(x.axis, x.value);
}

/** The row of the workload in an id or series key. */
export const rowOfKey = (key: string): WorkloadData => dataOf(partsOfKey(key).get('workload') ?? '');

/** Same as xText(), for a cell of which only the id and x are known. */
export function xTextOfId(id: string, x: number): string {
  const row = rowOfKey(id);
  const axis = row.axes.find(({ role }) => role === 'x');
  return axis === undefined ? whatOf(row, Object.fromEntries(partsOfKey(id))) : axisText(axis, x);
}

/** Operation and value of x: "allreduce 1 MiB"; only the operation if the workload has no x. */
export function pointText({ workload, axes }: { workload: string; axes: WorkloadAxes }): string {
  const row = dataOf(workload);
  const x = xOf(row, axes);
  return x === null ? whatOf(row, axes) : `${whatOf(row, axes)} ${axisText(x.axis, x.value)}`;
}
