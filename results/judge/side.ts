import type { VariancePrior } from '../derive/launches.ts';

/** Launches of one side of a comparison. Values are logarithms. */
export interface Side {
  launches: number;
  mean: number;
  /** Sum of squares around the mean. */
  squares: number;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sum of squares around the mean. */
export function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

export const sideOf = (logs: readonly number[]): Side => ({
  launches: logs.length,
  mean: meanOf(logs),
  squares: squaresOf(logs),
});

/** Sample variance, n - 1 in the denominator; 0 of a single launch. */
export const varianceOf = ({ launches, squares }: Side): number =>
  launches < 2 ? 0 : squares / (launches - 1);

/** Variance of both sides together, and its degrees of freedom; 0 of 0 with one launch each. */
export function pooledVariance(a: Side, b: Side): VariancePrior {
  const degrees = a.launches + b.launches - 2;
  const sum = (a.launches - 1) * varianceOf(a) + (b.launches - 1) * varianceOf(b);
  return { variance: degrees > 0 ? sum / degrees : 0, degrees };
}

/** Of each launch the mean over its sizes. @param logs by size, each with so many launches at least */
export const meanPerLaunch = (logs: readonly (readonly number[])[], launches: number): number[] =>
  Array.from({ length: launches }, (_, launch) => meanOf(logs.map((size) => size[launch] as number)));
