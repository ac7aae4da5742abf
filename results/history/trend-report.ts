import type { SettingChange } from '../schema/index.ts';
import type { RunIndex } from '../store/index.ts';
import { changesBetweenNights } from './night-changes.ts';
import type { HistoryNight } from './nights.ts';
import type { Trend, TrendChange } from './trend.ts';

/** Data that may explain a change: the nights before and after it, and the recorded settings that differ between them. */
export interface TrendExplanation {
  change: TrendChange;
  before: HistoryNight;
  after: HistoryNight;
  /** Settings that differ. Null if they are not known, because runs of a night were removed; `why` then says so. */
  changed: SettingChange[] | null;
  why: string | null;
}

/** A trend with all changes that a report shows, each with its explanation. */
export interface TrendReport {
  trend: Trend;
  /** The changes since the night `since`, and always the last one; oldest first, each with the settings that differ. */
  explained: TrendExplanation[];
  /** Name of the first night that the report shows. */
  since: string;
}

/**
 * Adds the settings that differ to each change since a night, and to the last change however old.
 * @param changedOf changesBetweenNights(), or a version with a cache
 */
export async function explain(
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
