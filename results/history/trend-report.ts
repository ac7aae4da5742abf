import type { SettingChange } from '../schema/index.ts';
import type { RunIndex } from '../store/index.ts';
import { changesBetweenNights } from './night-changes.ts';
import type { HistoryNight } from './nights.ts';
import type { Trend, TrendChange } from './trend.ts';

/** Explanation of a change: the nights before and after it, and the recorded settings that differ. */
export interface TrendExplanation {
  change: TrendChange;
  before: HistoryNight;
  after: HistoryNight;
  /** Settings that differ; null if a run of either night was removed, and `why` then says so. */
  changed: SettingChange[] | null;
  why: string | null;
}

/** A trend with the explanations to report. */
export interface TrendReport {
  trend: Trend;
  /** Explanations of the reported changes, oldest first. */
  explained: TrendExplanation[];
  /** First night to show. */
  since: string;
}

/**
 * Explains the changes since a night, and the last change however old: adds the settings that differ.
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
