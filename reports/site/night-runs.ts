import type { PointKind } from '../../results/history/index.ts';
import type { HistoryLine } from '../../results/schema/index.ts';

/** What ran in a night, of all series. */
export interface NightRuns {
  runs: number;
  /** Configurations with wrong data, and of another transport than asked for. */
  wrong: number;
  contradicted: number;
  /** Runs that failed, were interrupted, or have no end. */
  ended: number;
  /** Of those with any of this, the newest last. */
  troubled: Pick<HistoryLine, 'id' | 'folder' | 'label'>[];
}

/** By folder of the run: the night of the grid that it is of. */
export function nightKeys(lines: readonly HistoryLine[], by: PointKind): Map<string, string> {
  const firsts = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const { folder, at, tags, suite } of lines) {
    // A suite is of the time of its first run, a commit too.
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
