import type { Explained, ToldTrend } from '../../reports/history/index.ts';
import { changedBetween, type Night, type RunIndex, type Trend } from '../../results/history/index.ts';

/** Adds to the changes since that night, and to the last one however old, what was recorded of the nights around them. */
export async function told(index: RunIndex, trend: Trend, since: string): Promise<ToldTrend> {
  const explained: Explained[] = [];
  const last = trend.changes.at(-1);
  for (const change of trend.changes.filter((one) => one === last || one.night >= since)) {
    const before = trend.nights[change.at - 1] as Night;
    const after = trend.nights[change.at] as Night;
    try {
      const changed = await changedBetween(index.root, before, after);
      explained.push({ change, before, after, changed, why: null });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      explained.push({ change, before, after, changed: null, why });
    }
  }
  return { trend, explained, since };
}
