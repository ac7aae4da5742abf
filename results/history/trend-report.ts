import type { SettingChange } from '../schema/index.ts';
import type { RunIndex } from '../store/run-index/open.ts';
import { changesBetweenNights } from './night-changes.ts';
import type { HistoryNight } from './nights.ts';
import type { Trend, TrendChange } from './trend.ts';

/** Facts that may explain a change in time: the nights before and after it, and recorded settings that differ between them. */
export interface TrendExplanation {
  change: TrendChange;
  before: HistoryNight;
  after: HistoryNight;
  /** Versions and settings that differ. Null if not known, for example because a run was deleted; `why` then says so. */
  changed: SettingChange[] | null;
  why: string | null;
}

/** A history with the changes that a report shows, each with versions and settings that changed at the same time. */
export interface TrendReport {
  trend: Trend;
  /** Changes in the night `since` or later, and the newest change even if it is older; oldest first. */
  explained: TrendExplanation[];
  /** Name (date) of the first night whose changes are reported. */
  since: string;
}

/**
 * Adds the settings that differ to each change since a night, and to the last change however old. If they cannot be read, `why`
 * says so.
 * @param changedOf changesBetweenNights(), or a version with a cache
 */
export async function explainChanges(
  index: RunIndex,
  trend: Trend,
  since: string,
  changedOf: typeof changesBetweenNights = changesBetweenNights,
): Promise<TrendReport> {
  const explained: TrendExplanation[] = [];
  const last = trend.changes.at(-1);
  for (const change of trend.changes.filter((one) => one === last || one.night >= since)) {
    const before = trend.nights[change.at - 1] as HistoryNight;
    const after = trend.nights[change.at] as HistoryNight;
    try {
      const changed = await changedOf(index.root, before, after);
      explained.push({ change, before, after, changed, why: null });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      explained.push({ change, before, after, changed: null, why });
    }
  }
  return { trend, explained, since };
}
