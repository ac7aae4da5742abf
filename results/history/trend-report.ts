import type { SettingChange } from '../schema/index.ts';
import type { RunIndex } from '../store/run-index/open.ts';
import { changesBetweenNights } from './night-changes.ts';
import type { HistoryNight } from './nights.ts';
import { isNotable, unconfirmedStep } from './state.ts';
import type { Trend, TrendChange } from './trend.ts';

/**
 * Facts that may explain a change in time: the nights before and after it, and the recorded settings in which these nights differ.
 */
export interface TrendExplanation {
  change: TrendChange;
  before: HistoryNight;
  after: HistoryNight;
  /**
   * Versions and settings in which the two nights differ. Null if not known, for example because a run was deleted; `why` then says
   * so.
   */
  changed: SettingChange[] | null;
  why: string | null;
  /**
   * Settings of the machine that changed with the time: hosts, kernel, processor, driver, libraries. They may be the cause; empty
   * if not known. `isInWindow`: true if the nights before and after the change differ in no such setting, so that instead the first
   * and last of all nights at which the change may have begun were compared.
   */
  machine: { changed: SettingChange[]; isInWindow: boolean };
}

/** A history with the changes that a report shows, each with versions and settings that changed at the same time. */
export interface TrendReport {
  trend: Trend;
  /** Changes in the night `since` or later, and the newest change even if it is older; oldest first. */
  explained: TrendExplanation[];
  /**
   * Machine settings that changed with the possible change of the newest nights; empty if there is no such change that reports show
   * (isNotable()), or if the settings are not known.
   */
  suspects: SettingChange[];
  /** Name (date) of the first night in printed tables, and the first whose changes are in `explained`. */
  since: string;
}

/** Names of the versions that collbench records of its own parts. */
const ownVersions = ['collbench', 'agent', 'protocol', 'node'];

/** Returns the changed settings that belong to the machine and its libraries, and not to the options of the run. */
const machineChanges = (changed: readonly SettingChange[]): SettingChange[] =>
  changed.filter(
    ({ about, name }) => about === 'machine' || (about === 'versions' && !ownVersions.includes(name)),
  );

/**
 * Returns a report with the changes since a night, and the last change even if it is older, each with the settings that changed
 * with it. If these cannot be read, `why` of the change says so; the promise does not reject.
 * @param since name (date) of the first night
 * @param changedOf changesBetweenNights(), or a version of it with a cache
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
    const between = (first: number, last: number) =>
      changedOf(index.root, trend.nights[first] as HistoryNight, trend.nights[last] as HistoryNight);
    try {
      const changed = await changedOf(index.root, before, after);
      const own = machineChanges(changed);
      const isWide = own.length === 0 && change.last > change.first;
      const others = isWide
        ? machineChanges(await between(Math.max(0, change.first - 1), change.last).catch(() => []))
        : [];
      const machine = { changed: isWide ? others : own, isInWindow: isWide };
      explained.push({ change, before, after, changed, why: null, machine });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const machine = { changed: [], isInWindow: false };
      explained.push({ change, before, after, changed: null, why, machine });
    }
  }
  return { trend, explained, suspects: await suspectsOf(index, trend, changedOf), since };
}

/**
 * Returns for each trend, in the same order, a report of its last change, with the settings that changed with it; `explained` is
 * empty without a change. Runs that several trends need are read once.
 */
export async function explainLast(index: RunIndex, trends: readonly Trend[]): Promise<TrendReport[]> {
  const known = new Map<string, Promise<SettingChange[]>>();
  const changedOf: typeof changesBetweenNights = (root, before, after) => {
    const key = `${before.runs.at(-1)?.id} ${after.runs[0]?.id}`;
    const found = known.get(key) ?? changesBetweenNights(root, before, after);
    known.set(key, found);
    return found;
  };
  const reports: TrendReport[] = [];
  for (const trend of trends) {
    const since = trend.changes.at(-1)?.night ?? '';
    reports.push(await explainChanges(index, trend, since, changedOf));
  }
  return reports;
}

async function suspectsOf(
  index: RunIndex,
  trend: Trend,
  changedOf: typeof changesBetweenNights,
): Promise<SettingChange[]> {
  const step = unconfirmedStep(trend, trend.segments.at(-1));
  const [before, after] = [trend.nights[(step?.at ?? 0) - 1], trend.nights[step?.at ?? 0]];
  if (step === null || !isNotable(step) || before === undefined || after === undefined) return [];
  return machineChanges(await changedOf(index.root, before, after).catch(() => []));
}
