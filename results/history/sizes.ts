// Makes nights comparable that lack a usable time at some sizes. A missing size is estimated from its usual distance to the other
// sizes of the night, so the mean of the night follows the sizes that were measured.
import { mean, median } from 'simple-statistics';

/** Log time of one run at each message size; null where the time has no usable 95 % interval. */
export type SizeLogs = readonly (number | null)[];

/** Highest number of neighbouring runs from which the time of a missing size is estimated. */
const maxNeighbours = 15;

export interface CommonSizes {
  /**
   * Indices of the message sizes that the history uses, ascending: those for which at least half of the runs with any time have a
   * time. If no size reaches half, these are the sizes that most runs have.
   */
  used: number[];
  /** Indices of all other message sizes, ascending; fewer runs have a time for these. */
  unused: number[];
}

/**
 * Returns the message sizes that enough runs measured, as `CommonSizes` defines it.
 * @param runs log times of each run; runs without any time are ignored. If none has a time, no size is used
 * @param sizes number of message sizes
 */
export function commonSizes(runs: readonly SizeLogs[], sizes: number): CommonSizes {
  const counts = Array.from({ length: sizes }, (_, x) => runs.filter((logs) => logs[x] !== null).length);
  const most = Math.max(0, ...counts);
  const withFigures = runs.filter((logs) => logs.some((log) => log !== null)).length;
  const fewest = Math.max(1, Math.min(most, withFigures / 2));
  const all = counts.map((count, x) => ({ count, x }));
  return {
    used: all.filter(({ count }) => count >= fewest).map(({ x }) => x),
    unused: all.filter(({ count }) => count < fewest).map(({ x }) => x),
  };
}

export interface AdjustedLog {
  /** Mean log time of the run over all used message sizes, with estimates for missing ones. */
  log: number;
  /**
   * Indices of those used message sizes whose time was estimated, since the run has no usable time there. Like the values of
   * `used`, they are indices in the list of all sizes.
   */
  missing: number[];
}

/**
 * Returns the mean log time of one run over the used sizes.
 * @param runs log times of all runs with the same list of sizes, oldest first
 * @param index index of the run in `runs`
 * @param used indices of the used sizes
 * @returns null if the run has no time at any used size, or if a missing one cannot be estimated
 */
export function adjustedLog(
  runs: readonly SizeLogs[],
  index: number,
  used: readonly number[],
): AdjustedLog | null {
  const own = runs[index] as SizeLogs;
  const there = used.filter((x) => own[x] !== null);
  const missing = used.filter((x) => own[x] === null);
  if (there.length === 0) return null;
  const logs = there.map((x) => own[x] as number);
  for (const x of missing) {
    const expected = expectedLog(runs, index, x, there);
    if (expected === null) return null;
    logs.push(expected);
  }
  return { log: mean(logs), missing };
}

/**
 * Estimates the log time of size `x` in a run that lacks it. Each neighbouring run with a time at `x` gives an estimate: its
 * difference between `x` and the other sizes, added to this run's times. The result is the median over at most `maxNeighbours`
 * earlier runs; if no earlier run has the size, the next later one is used. Null if no run gives an estimate.
 * @param index index of the run in `runs`
 * @param there indices of the sizes that this run has
 */
function expectedLog(
  runs: readonly SizeLogs[],
  index: number,
  x: number,
  there: readonly number[],
): number | null {
  const own = runs[index] as SizeLogs;
  const found: number[] = [];
  const look = (other: SizeLogs): void => {
    const log = other[x] ?? null;
    const both = there.filter((size) => other[size] !== null);
    if (log === null || both.length === 0) return;
    found.push(log + mean(both.map((size) => (own[size] as number) - (other[size] as number))));
  };
  for (let i = index - 1; i >= 0 && found.length < maxNeighbours; i -= 1) look(runs[i] as SizeLogs);
  for (let i = index + 1; i < runs.length && found.length === 0; i += 1) look(runs[i] as SizeLogs);
  return found.length === 0 ? null : median(found);
}
