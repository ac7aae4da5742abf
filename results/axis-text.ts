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

/**
 * Returns the value of a workload's parameter (axis) as text for readers, according to the axis' unit: "1 MiB" for 1048576 with B,
 * "5 µs" for 5000 with ns, "42 %" for 42 with %, "42" for 42 without unit.
 */
export function axisText({ unit }: Pick<AxisData, 'unit'>, value: number): string {
  if (unit === 'B') return sizeText(value);
  if (unit === '%') return `${value} %`;
  return unit === 'ns' ? durationText(value) : String(value);
}

/**
 * Returns the x value of a measurement, usually the message size, with its unit: "1 MiB"; if the workload has no x axis, the name
 * of the operation.
 * @throws {RangeError} if the workload is unknown
 */
export function xText({ workload, axes }: { workload: string; axes: WorkloadAxes }): string {
  const row = dataOf(workload);
  const x = xOf(row, axes);
  return x === null ? whatOf(row, axes) : axisText(x.axis, x.value);
}

/**
 * Returns the description of the workload to which a cell id or series key belongs.
 * @throws {RangeError} if the workload is unknown
 */
export const rowOfKey = (key: string): WorkloadData => dataOf(partsOfKey(key).get('workload') ?? '');

/**
 * Returns the x value (message size) with its unit, as xText() does, from a cell's id and its x value.
 * @throws {RangeError} if the id names no known workload
 */
export function xTextOfId(id: string, x: number): string {
  const row = rowOfKey(id);
  const axis = row.axes.find(({ role }) => role === 'x');
  return axis === undefined ? whatOf(row, Object.fromEntries(partsOfKey(id))) : axisText(axis, x);
}

/**
 * Returns operation and message size (x value): "allreduce 1 MiB"; if the workload has no x axis, only the operation.
 * @param workloads descriptions of workloads in the run's plan; absent = those of this version of collbench
 * @throws {RangeError} if the workload is in neither
 */
export function pointText(
  { workload, axes }: { workload: string; axes: WorkloadAxes },
  workloads?: readonly WorkloadData[],
): string {
  const row = dataOf(workload, workloads);
  const x = xOf(row, axes);
  return x === null ? whatOf(row, axes) : `${whatOf(row, axes)} ${axisText(x.axis, x.value)}`;
}
