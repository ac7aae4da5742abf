// Judges nights that lack an interval at some sizes by their other sizes. A missing size is replaced by its usual distance
// to the other sizes of the night. The level of the night then follows the sizes with figures.
import { mean, median } from 'simple-statistics';

/** Log time of one run at each message size; null where the time has no usable 95 % interval. */
export type SizeLogs = readonly (number | null)[];

/** Highest number of neighbouring runs from which a missing size is estimated. */
const maxNeighbours = 15;

export interface CommonSizes {
  /**
   * Indices of message sizes that the history uses, ascending. At least half of the runs that have any time have one for these
   * sizes. If no size reaches half, these are the sizes that most runs have.
   */
  used: number[];
  /** Indices of all other message sizes, ascending; fewer runs have a time for these. */
  unused: number[];
}

/**
 * Returns the message sizes that enough runs measured, as `CommonSizes` defines it.
 * @param runs runs without any time are ignored
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
  /** Indices of the used message sizes that had to be estimated, since the run has no usable time there. */
  missing: number[];
}

/**
 * Returns the mean log time of one run over the used sizes.
 * @param runs runs with the same sizes, oldest first
 * @returns null if none of the used sizes has a figure, or if a missing one cannot be estimated
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
 * Estimates the log time of size `x` in a run that lacks it. Each neighbouring run that has it gives an estimate: its distance
 * between `x` and the other sizes. The result is the median of at most `maxNeighbours` earlier runs; if none has the size, the
 * next later one counts. Null if no run gives an estimate.
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
