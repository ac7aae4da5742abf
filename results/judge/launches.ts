import { mean, sumNthPowerDeviations } from 'simple-statistics';

/** Sum of squared deviations from the mean. */
export const squaresOf = (values: readonly number[]): number => sumNthPowerDeviations(values, 2);

/**
 * Returns for each launch the mean log time over message sizes. @param logs log times by [size][launch]; of each size only the
 * first `launches` are used
 */
export const meanPerLaunch = (logs: readonly (readonly number[])[], launches: number): number[] =>
  Array.from({ length: launches }, (_, launch) => mean(logs.map((size) => size[launch] as number)));
