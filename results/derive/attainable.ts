// Which precision more launches could reach, by the scatter that the launches measured so far show.
import type { MeasuredFigure } from '../schema/index.ts';
import { priorOf, sampleError } from './launches.ts';
import { minLaunches } from './statistics/figure-interval.ts';
import { sequentialZ } from './statistics/interval.ts';
import { launchVariance, medianShare } from './statistics/launch-interval.ts';
import { studentQuantile } from './statistics/student.ts';

/** What makes the launch medians of one figure differ; variances of log time. */
export interface LaunchScatter {
  launches: number;
  /** By what the samples of one launch leave open. */
  within: number;
  /** Between launches, whatever the samples. */
  between: number;
  /** Degrees of freedom of the variance over r - 1: 1 for a size alone, up to 3 with the help of others. */
  degreesPerLaunch: number;
  /** Fewest launches that give an interval. */
  fewest: number;
}

/**
 * Components of variance of a figure. Few launches show a variance that is skewed: its plain median over figures is too small
 * by medianShare(), which is given back here, so that a median over figures is right.
 * @param others launch medians of the other sizes (launchesOfOthers())
 * @returns null with one launch, which says nothing of launches
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
 * Median half width of the 95 % interval over so many launches, each with as many samples as now, as a share of the figure:
 * the t interval over launches, and no narrower than the samples allow (statistics/figure-interval.ts).
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

/** Fewest launches that have an interval and are expected within `precision`; null where `most` do not reach it. */
export function launchesFor(scatter: LaunchScatter, precision: number, most: number): number | null {
  for (let launches = scatter.fewest; launches <= most; launches += 1) {
    if (expectedHalfWidth(scatter, launches) <= precision) return launches;
  }
  return null;
}
