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

/** Returns a value of an axis with its unit, for readers: "1 MiB", "5 µs", "42". */
export function axisText({ unit }: Pick<AxisData, 'unit'>, value: number): string {
  if (unit === 'B') return sizeText(value);
  if (unit === '%') return `${value} %`;
  return unit === 'ns' ? durationText(value) : String(value);
}

/** Returns the cell's x value with its unit: "1 MiB". If the workload has no x axis, the name of the operation. */
export function xText({ workload, axes }: { workload: string; axes: WorkloadAxes }): string {
  const row = dataOf(workload);
  const x = xOf(row, axes);
  return x === null ? whatOf(row, axes) : axisText(x.axis, x.value);
}

/** Returns the description of the workload that an id or series key names. */
export const rowOfKey = (key: string): WorkloadData => dataOf(partsOfKey(key).get('workload') ?? '');

/** Returns the same text as xText(), for a cell of which only its id and x value are known. */
export function xTextOfId(id: string, x: number): string {
  const row = rowOfKey(id);
  const axis = row.axes.find(({ role }) => role === 'x');
  return axis === undefined ? whatOf(row, Object.fromEntries(partsOfKey(id))) : axisText(axis, x);
}

/** Returns operation and x value: "allreduce 1 MiB"; only the operation if the workload has no x axis. */
export function pointText({ workload, axes }: { workload: string; axes: WorkloadAxes }): string {
  const row = dataOf(workload);
  const x = xOf(row, axes);
  return x === null ? whatOf(row, axes) : `${whatOf(row, axes)} ${axisText(x.axis, x.value)}`;
}
