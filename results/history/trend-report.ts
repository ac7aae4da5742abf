import type { SettingChange } from '../schema/index.ts';
import type { RunIndex } from '../store/index.ts';
import { changesBetweenNights } from './night-changes.ts';
import type { HistoryNight } from './nights.ts';
import type { Trend, TrendChange } from './trend.ts';

/** What was found about a change: the nights around it, and what was recorded of them and is not the same. */
export interface TrendExplanation {
  change: TrendChange;
  before: HistoryNight;
  after: HistoryNight;
  /** Null where a run of either night is gone; `why` then says so. */
  changed: SettingChange[] | null;
  why: string | null;
}

/** A trend and what is to be told of it. */
export interface TrendReport {
  trend: Trend;
  /** Of the changes to be told, oldest first. */
  explained: TrendExplanation[];
  /** First night to be shown. */
  since: string;
}

/**
 * Adds to the changes since that night, and to the last one however old, what was recorded of the nights around them.
 * @param changedOf changesBetweenNights(), or one that remembers
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
