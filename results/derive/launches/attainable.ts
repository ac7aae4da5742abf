// Estimates the precision that more launches could reach, from the scatter of the launches so far.
import type { MeasuredFigure } from '../../schema/index.ts';
import { minLaunches } from '../statistics/figure-interval.ts';
import { sequentialZ } from '../statistics/interval.ts';
import { launchVariance, medianShare } from '../statistics/launch-interval.ts';
import { studentQuantile } from '../statistics/student.ts';
import { priorOf, sampleError } from './launches.ts';

/** Variance of one launch's log median time, split by cause: few samples in a launch, or differences between launches. */
export interface LaunchScatter {
  launches: number;
  /** Part of the variance of one launch's log median that more samples in the launch would reduce. */
  within: number;
  /** Part of that variance which only differences between launches cause; more samples per launch would not reduce it. */
  between: number;
  /**
   * Degrees of freedom of the variance divided by (launches - 1): 1 for one message size alone, up to 3 if others help.
   */
  degreesPerLaunch: number;
  /** Lowest number of launches from which a 95 % interval is computed. */
  fewest: number;
}

/**
 * Splits the scatter of a figure's launch medians into a part from few samples and a part between launches. Variances of few
 * launches have a skewed distribution: their median over figures is too small by medianShare(). The result is divided by it, so
 * that a median over figures is right.
 * @param others launch medians of the other sizes (launchesOfOthers())
 * @returns null with one launch, which does not show the scatter of launches
 */
export function scatterOf(
  figure: MeasuredFigure,
  others: readonly (readonly number[])[],
): LaunchScatter | null {
  const { launchValues } = figure;
  const r = launchValues.length;
  if (r < 2) return null;
  const prior = priorOf(launchValues, others);
  const { variance, degrees } = launchVariance(launchValues, prior);
  const within = r * sampleError(figure) ** 2;
  return {
    launches: r,
    within,
    between: Math.max(0, variance / medianShare(degrees) - within),
    degreesPerLaunch: degrees / (r - 1),
    fewest: prior === null ? minLaunches : 2,
  };
}

/**
 * Returns the expected half width of the 95 % interval, relative to the time (0.01 = 1 %), with so many launches and as many
 * samples per launch as now. It is never below the half width that follows from the samples alone.
 */
export function expectedHalfWidth(
  { within, between, degreesPerLaunch }: LaunchScatter,
  launches: number,
): number {
  const degrees = degreesPerLaunch * (launches - 1);
  const variance = (within + between) * medianShare(degrees);
  const byLaunches = studentQuantile(0.975, degrees) * Math.sqrt(variance / launches);
  const bySamples = sequentialZ * Math.sqrt(within / launches);
  return Math.sinh(Math.max(byLaunches, bySamples));
}

/**
 * Returns how many launches give an expected half width of at most `precision` (0.01 = 1 %), no fewer than `scatter.fewest`.
 * Null if more than `most` are needed.
 */
export function launchesFor(scatter: LaunchScatter, precision: number, most: number): number | null {
  for (let launches = scatter.fewest; launches <= most; launches += 1) {
    if (expectedHalfWidth(scatter, launches) <= precision) return launches;
  }
  return null;
}
