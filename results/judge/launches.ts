import { mean, sumNthPowerDeviations } from 'simple-statistics';

/** Sum of squares around the mean. */
export const squaresOf = (values: readonly number[]): number => sumNthPowerDeviations(values, 2);

/** Of each launch the mean over its sizes. @param logs by size, each with so many launches at least */
export const meanPerLaunch = (logs: readonly (readonly number[])[], launches: number): number[] =>
  Array.from({ length: launches }, (_, launch) => mean(logs.map((size) => size[launch] as number)));
