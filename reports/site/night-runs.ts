import type { PointKind } from '../../results/history/nights.ts';
import type { HistoryLine } from '../../results/schema/index.ts';

/** Numbers of runs and of problems in one night, over all series. */
export interface NightRuns {
  runs: number;
  /**
   * Number of configurations in the night's runs with wrong data (`wrong`), and with data that went over another transport than
   * requested (`contradicted`).
   */
  wrong: number;
  contradicted: number;
  /** Number of runs that are not complete: failed, interrupted, with missing configurations, or without a recorded end. */
  ended: number;
  /** Runs of the night with wrong data, with data over another transport than requested, or not complete; newest last. */
  troubled: Pick<HistoryLine, 'id' | 'folder' | 'label'>[];
}

/**
 * Returns a map from the folder of each run to the night to which the run belongs. A night is a column of the site's grid: a day,
 * or else the minute in which the first run of the same commit or suite began. With days, all runs of a suite belong to the day of
 * its first run. Runs without a commit are left out if nights are commits.
 * @param lines runs, oldest first
 * @param by what a night combines: runs of a day, of a commit, or single runs
 */
export function nightKeys(lines: readonly HistoryLine[], by: PointKind): Map<string, string> {
  const firsts = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const { folder, at, tags, suite } of lines) {
    // Runs of one suite or of one commit are one point, at the time of the first of them.
    const point = by === 'commit' ? tags?.commit : (suite?.id ?? folder);
    if (point === undefined) continue;
    if (!firsts.has(point))
      firsts.set(point, by === 'day' ? at.slice(0, 10) : at.slice(0, 16).replace('T', ' '));
    keys.set(folder, firsts.get(point) as string);
  }
  return keys;
}

export function runsByNight(
  lines: readonly HistoryLine[],
  keys: ReadonlyMap<string, string>,
  shown: ReadonlySet<string>,
): Map<string, NightRuns> {
  const nights = new Map<string, NightRuns>();
  for (const { id, folder, label, state, cells } of lines) {
    const night = keys.get(folder);
    if (night === undefined || !shown.has(night)) continue;
    const there = nights.get(night) ?? { runs: 0, wrong: 0, contradicted: 0, ended: 0, troubled: [] };
    const isEnded = state !== 'complete';
    there.runs += 1;
    there.wrong += cells.wrong;
    there.contradicted += cells.contradicted;
    if (isEnded) there.ended += 1;
    if (isEnded || cells.wrong + cells.contradicted > 0) there.troubled.push({ id, folder, label });
    nights.set(night, there);
  }
  return nights;
}
