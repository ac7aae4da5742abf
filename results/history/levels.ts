import { studentQuantile } from '../derive/statistics/student.ts';

/** Mean times of one series in one size range, for several runs: lists of equal length with one element per run. */
export interface GroupLevels {
  /**
   * Mean log time of each run over the sizes of the range. `sds`: standard deviations of log time between launches; `launches`:
   * numbers of launches, 0 = not known. All lists are in the same order of runs.
   */
  logs: number[];
  sds: number[];
  launches: number[];
}

/**
 * Mean of a log time, or of a log ratio of times, with 95 % interval; the interval is null with fewer than two launches.
 * `launches`: number of launches, 0 = not known.
 */
export interface TimeLevel {
  log: number;
  interval: { low: number; high: number } | null;
  launches: number;
}

/**
 * All launches of several runs together: their number (0 = not known), mean log time, and sum of squared deviations from that mean.
 */
export interface PooledLaunches {
  launches: number;
  log: number;
  squares: number;
}

export function poolLaunches(all: GroupLevels, members: readonly number[]): PooledLaunches {
  let launches = 0;
  for (const i of members) launches += all.launches[i] as number;
  // Imported runs do not record their number of launches. If no run does, each has weight 1.
  const isTold = launches > 0;
  let total = 0;
  let sum = 0;
  for (const i of members) {
    const weight = isTold ? (all.launches[i] as number) : 1;
    total += weight;
    sum += (all.logs[i] as number) * weight;
  }
  const log = sum / total;
  let squares = 0;
  for (const i of members) {
    const n = all.launches[i] as number;
    squares += Math.max(0, n - 1) * (all.sds[i] as number) ** 2 + n * ((all.logs[i] as number) - log) ** 2;
  }
  return { launches, log, squares };
}

export function levelOf({ launches: r, log, squares }: PooledLaunches): TimeLevel {
  if (r < 2) return { log, interval: null, launches: r };
  const half = studentQuantile(0.975, r - 1) * Math.sqrt(squares / (r - 1) / r);
  return { log, interval: { low: log - half, high: log + half }, launches: r };
}

/**
 * Returns the log of the build under test's time divided by the reference build's. Both vary alike in one night, so their launches
 * give one common variance. `launches` is the lower of the two numbers; the interval is null below two.
 */
export function ratioOf(tonight: PooledLaunches, anchor: PooledLaunches): TimeLevel {
  const log = tonight.log - anchor.log;
  const [a, b] = [tonight.launches, anchor.launches];
  const launches = Math.min(a, b);
  if (launches < 2) return { log, interval: null, launches };
  const pooled = (tonight.squares + anchor.squares) / (a + b - 2);
  const half = studentQuantile(0.975, a + b - 2) * Math.sqrt(pooled * (1 / a + 1 / b));
  return { log, interval: { low: log - half, high: log + half }, launches };
}
