import { mean, sumNthPowerDeviations } from 'simple-statistics';

/** Sum of squared deviations from the mean. */
export const squaresOf = (values: readonly number[]): number => sumNthPowerDeviations(values, 2);

/** Returns for each launch the mean over sizes. @param logs log times by size, each with at least `launches` values */
export const meanPerLaunch = (logs: readonly (readonly number[])[], launches: number): number[] =>
  Array.from({ length: launches }, (_, launch) => mean(logs.map((size) => size[launch] as number)));
