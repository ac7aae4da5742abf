import { meanOf } from './difference.ts';

/** Sum of squares around the mean. */
export function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** Of each launch the mean over its sizes. @param logs by size, each with so many launches at least */
export const meanPerLaunch = (logs: readonly (readonly number[])[], launches: number): number[] =>
  Array.from({ length: launches }, (_, launch) => meanOf(logs.map((size) => size[launch] as number)));
