// Judges nights that lack an interval at some sizes by their other sizes. A missing size is replaced by its usual distance
// to the other sizes of the night. The level of the night then follows the sizes with figures.
import { mean, median } from 'simple-statistics';

/** Log time of each size of one run; null without an interval. */
export type SizeLogs = readonly (number | null)[];

/** Maximum number of neighbouring runs used to estimate a missing size. */
const maxNeighbours = 15;

export interface CommonSizes {
  /** Indices of the sizes used in a history, ascending: at least half of the runs have them. */
  used: number[];
  /** Indices of all other sizes. */
  unused: number[];
}

/** Selects the sizes that enough runs have. @param runs runs without any figure are ignored */
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
  /** Mean log time over the used sizes. */
  log: number;
  /** Indices of used sizes without a figure in this run. */
  missing: number[];
}

/**
 * Level of one run over the used sizes.
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
 * Expected log time of size `x` in a run: median of estimates from neighbouring runs, by their distance between `x` and the
 * other sizes. Earlier runs are used first, a later one only without them. Null without an estimate.
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
