// Nights that lack an interval at some sizes are judged by the others. A missing size counts as if it had kept its usual
// distance to the sizes of the same night, so that the level of the night moves as the sizes with figures moved.
import { mean, median } from 'simple-statistics';

/** Log time of each size of one run; null without an interval. */
export type SizeLogs = readonly (number | null)[];

/** Distances of a missing size are taken from this many neighbouring runs at most. */
const maxNeighbours = 15;

export interface CommonSizes {
  /** Sizes that the points of a history are made of: at least half of the runs have them. Indices, rising. */
  used: number[];
  /** All other sizes. */
  unused: number[];
}

/** @param runs at least one size of each has a figure, else it does not count */
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
  /** Used sizes without a figure of this run. */
  missing: number[];
}

/**
 * The level of one run over the used sizes.
 * @param runs of the same sizes, oldest first
 * @returns null if none of the used sizes has a figure, or nothing says where a missing one usually lies
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

/** Where size `x` of a run would lie: median over neighbouring runs, earlier ones first, of its distance to their other sizes. */
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
