// Estimates the precision that more launches could reach, from the scatter of the launches so far.
import type { MeasuredFigure } from '../../schema/index.ts';
import { minLaunches } from '../statistics/figure-interval.ts';
import { sequentialZ } from '../statistics/interval.ts';
import { launchVariance, medianShare } from '../statistics/launch-interval.ts';
import { studentQuantile } from '../statistics/student.ts';
import { priorOf, sampleError } from './launches.ts';

/**
 * Variance of one launch's log median time, split by its two causes: too few samples in a launch, and differences between launches.
 * `launches` is the number of launches from which it was computed.
 */
export interface LaunchScatter {
  launches: number;
  /** Part of the variance of one launch's log median time that more samples in the launch would reduce. */
  within: number;
  /**
   * Part of the variance of one launch's log median time that comes from differences between launches; more samples per launch
   * would not reduce it.
   */
  between: number;
  /**
   * Degrees of freedom of the variance divided by (launches - 1): 1 for one message size alone, up to 3 if the scatter of other
   * sizes is used.
   */
  degreesPerLaunch: number;
  /** Lowest number of launches for which a 95 % interval is computed. */
  fewest: number;
}

/**
 * Splits the variance of a figure's log launch medians into the part from few samples and the part between launches. A variance
 * from few launches has a skewed distribution: the median of many such variances is too small by the factor medianShare(). The
 * result is divided by this factor, so that a median over figures is right.
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
 * Returns the expected half width of the 95 % interval, relative to the time (0.01 = 1 %), if `launches` launches with the present
 * number of samples each are measured. It is never below the half width that follows from the samples alone.
 * @param launches two at least
 */
function expectedHalfWidth({ within, between, degreesPerLaunch }: LaunchScatter, launches: number): number {
  const degrees = degreesPerLaunch * (launches - 1);
  const variance = (within + between) * medianShare(degrees);
  const byLaunches = studentQuantile(0.975, degrees) * Math.sqrt(variance / launches);
  const bySamples = sequentialZ * Math.sqrt(within / launches);
  return Math.sinh(Math.max(byLaunches, bySamples));
}

/**
 * Returns the lowest number of launches with which the expected half width is at most `precision` (0.01 = 1 %), no fewer than
 * `scatter.fewest`. Null if more than `most` are needed.
 */
export function launchesFor(scatter: LaunchScatter, precision: number, most: number): number | null {
  for (let launches = scatter.fewest; launches <= most; launches += 1) {
    if (expectedHalfWidth(scatter, launches) <= precision) return launches;
  }
  return null;
}
