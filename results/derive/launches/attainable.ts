// Estimates the precision that more launches could reach, from the scatter of the launches so far.
import type { MeasuredFigure } from '../../schema/index.ts';
import { minLaunches } from '../statistics/figure-interval.ts';
import { sequentialZ } from '../statistics/interval.ts';
import { launchVariance, medianShare } from '../statistics/launch-interval.ts';
import { studentQuantile } from '../statistics/student.ts';
import { priorOf, sampleError } from './launches.ts';

/** Sources of the scatter of one figure's launch medians: few samples, or differences between launches. Variances of log time. */
export interface LaunchScatter {
  launches: number;
  /** Part of a launch median's variance that comes from the limited number of samples in a launch. */
  within: number;
  /** Part of the variance between launches that more samples per launch would not reduce. */
  between: number;
  /**
   * Degrees of freedom of the variance, divided by launches minus 1. 1 for a size alone; up to 3 if other sizes help to estimate
   * it.
   */
  degreesPerLaunch: number;
  /** Lowest number of launches with which the figure gets an interval. */
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
 * Returns the half width that the 95 % interval is expected to have with this number of launches, as a share of the figure. The
 * number of samples per launch stays the same. It is the t interval over launches, at least as wide as the samples allow
 * (statistics/figure-interval.ts).
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
 * Returns the lowest number of launches whose interval has an expected half width of at most `precision` (0.01 = 1 %). Null if
 * more than `most` launches are needed.
 */
export function launchesFor(scatter: LaunchScatter, precision: number, most: number): number | null {
  for (let launches = scatter.fewest; launches <= most; launches += 1) {
    if (expectedHalfWidth(scatter, launches) <= precision) return launches;
  }
  return null;
}
