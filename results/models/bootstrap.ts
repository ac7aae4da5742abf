import { sampleStandardDeviation } from 'simple-statistics';
import { studentQuantile } from '../derive/statistics/student.ts';
import { randomSource } from '../random.ts';
import type { SizePoint } from './points.ts';

/**
 * Lowest number of launches for intervals by resampling. With 3, such an interval contained the true value in only 73 to 78 % of
 * simulated cases.
 */
const minBootstrapLaunches = 5;
const resamples = 200;
const seed = 20260401;

export type ParameterIntervals<P> = { [name in keyof P]: { low: number; high: number } | null };

/**
 * Returns 95 % intervals of parameters that are computed from the times of all sizes, by resampling launches. A launch is drawn for
 * all sizes together, because its sizes share its deviation. The variance of the logarithm over the draws is too small by the
 * factor (r-1)/r for r launches. The interval is widened for this and by Student's t with r - 1 degrees: plain percentiles of 5
 * launches cover 85 %.
 * @param points at least one size
 * @param compute gives the parameters for one time per size, ns, in the order of `points`
 * @param value result of `compute` for the measured times
 * @returns `intervals` null, with the reason, if there are too few launches, or if sizes have different numbers of launches.
 * Otherwise the interval of each parameter; null for a parameter that is null or not above 0, or is so in a draw
 */
export function bootstrapIntervals<P extends { [name in keyof P]: number | null }>(
  points: readonly SizePoint[],
  compute: (timesNs: readonly number[]) => P,
  value: P,
): { intervals: ParameterIntervals<P> | null; reason: string | null } {
  const launches = points.map((point) => point.launchMediansNs.length);
  const r = Math.min(...launches);
  if (r < minBootstrapLaunches) {
    return { intervals: null, reason: `${minBootstrapLaunches} launches are needed, the run has ${r}` };
  }
  if (Math.max(...launches) !== r) return { intervals: null, reason: 'not all sizes have the same launches' };
  const logs = points.map((point) => point.launchMediansNs.map(Math.log));
  const random = randomSource(seed);
  const drawn = Array.from({ length: resamples }, () => {
    const chosen = Array.from({ length: r }, () => Math.floor(random() * r));
    return compute(
      logs.map((of) => Math.exp(chosen.reduce((sum, launch) => sum + (of[launch] as number), 0) / r)),
    );
  });
  const widen = studentQuantile(0.975, r - 1) * Math.sqrt(r / (r - 1));
  const intervals = {} as ParameterIntervals<P>;
  for (const name of Object.keys(value) as (keyof P)[]) {
    const found = drawn.map((one) => one[name] as number | null);
    intervals[name] = intervalOf(value[name] as number | null, found, widen);
  }
  return { intervals, reason: null };
}

function intervalOf(
  value: number | null,
  drawn: readonly (number | null)[],
  widen: number,
): { low: number; high: number } | null {
  if (value === null || !(value > 0)) return null;
  const logs = drawn.flatMap((v) => (v !== null && v > 0 ? [Math.log(v)] : []));
  // A parameter that is null or 0 in some draws gets no interval.
  if (logs.length < drawn.length) return null;
  const half = widen * sampleStandardDeviation(logs);
  return { low: value * Math.exp(-half), high: value * Math.exp(half) };
}
