import { createHash } from 'node:crypto';
import type { changesBetweenNights } from '../../results/history/night-changes.ts';
import { type HistoryNight, type PointKind, pointKinds } from '../../results/history/nights.ts';
import type { GroupName } from '../../results/history/series-name.ts';
import { type SeriesState, type SeriesVerdict, stateOf, verdictsOf } from '../../results/history/state.ts';
import { byHosts } from '../../results/history/together.ts';
import { matchingGroups, type Trend, trendOf } from '../../results/history/trend.ts';
import { explainChanges, type TrendReport } from '../../results/history/trend-report.ts';
import { valuesOfKey } from '../../results/schema/index.ts';
import type { RunIndex } from '../../results/store/run-index/open.ts';
import { fileWords } from '../wording.ts';
import { type NightRuns, nightKeys, runsByNight } from './night-runs.ts';

export interface SiteIndexQuery {
  by: PointKind | null;
  /** Number of newest nights that the grid shows. */
  nights: number;
  anyHost: boolean;
}

/**
 * One row of the site's grid: a size range (small, middle or large sizes) of a series over the nights, with its texts and verdicts.
 */
export interface SiteIndexRow {
  report: TrendReport;
  state: SeriesState;
  /**
   * Verdict on each night; a key is the key of a column of the grid ("2026-11-21"). Nights without a result of this row have no
   * entry. `index` is the night's position in the trend's list of nights.
   */
  cells: ReadonlyMap<string, { verdict: SeriesVerdict; index: number }>;
  /** Path of the series' page relative to the site's folder. `anchor` is the id of this size range on that page. */
  page: string;
  anchor: string;
  /**
   * Histories of the same size range with other kinds of points than `report.trend` (days, runs or commits); the series' page shows
   * them too.
   */
  others: Trend[];
}

/**
 * Content of a site, computed from the history of runs. `by`: what a night of the grid combines: all runs of a day, of a commit, or
 * a single run (the runs of one suite count as one). `runs`: number of runs in the index.
 */
export interface SiteIndex {
  by: PointKind;
  runs: number;
  /**
   * Start of the newest run in the index, ISO 8601: "2026-11-21T03:00:00.000Z" (for imported runs the time that the other program
   * printed, if any); '' if there are no runs.
   */
  newest: string;
  /**
   * The nights that the grid shows, oldest first, each as a text: "2026-11-21", or "2026-11-21 18:02" if nights are single runs or
   * commits.
   */
  nights: string[];
  /** Numbers of runs and problems in each night of the grid; the key is the night as in `nights`. */
  nightRuns: ReadonlyMap<string, NightRuns>;
  rows: SiteIndexRow[];
}

/**
 * Number of newest runs over which a series' page shows histories with other kinds of points than the grid, such as single runs.
 */
const maxSingleRuns = 200;
/** Minimum number of days with runs for which the points of a history are days; with fewer days each run is a point. */
const minDays = 3;

/**
 * Builds the content of the site from the index of all runs. Without `by`, points are days, or single runs if there are fewer than
 * three days with runs. Unless `anyHost` is true, each set of hosts has its own rows.
 * @param changedOf finds which settings changed between two nights; called for changes in the grid and for each row's last change
 */
export async function boardOf(
  index: RunIndex,
  { by: asked, nights: shown, anyHost }: SiteIndexQuery,
  changedOf?: typeof changesBetweenNights,
): Promise<SiteIndex> {
  const days = new Set(index.lines.map(({ at }) => at.slice(0, 10)));
  const by = asked ?? (days.size < minDays ? 'run' : 'day');
  const parts = anyHost ? [{ hosts: [], index }] : byHosts(index);
  const hasHosts = parts.length > 1;
  const trends = parts.flatMap(({ hosts, index: own }) =>
    matchingGroups(own, { asked: '' }).flatMap((name) => {
      const trend = trendOf(own, name, { asked: '', by, anyHost });
      return trend === null ? [] : [{ hosts: hasHosts ? hosts : [], own, name, trend }];
    }),
  );
  const keys = nightKeys(index.lines, by);
  const nights = [...new Set(keys.values())].sort().slice(-shown);
  const keyOf = ({ night, runs }: HistoryNight): string => keys.get(runs[0]?.folder ?? '') ?? night;
  const since = nights[0] ?? '';
  const rows: SiteIndexRow[] = [];
  for (const { hosts, own, name, trend } of trends) {
    const titled = hosts.length === 0 ? trend : { ...trend, title: `${trend.title}, on ${hostsText(hosts)}` };
    const verdicts = verdictsOf(trend);
    rows.push({
      report: await explainChanges(own, titled, since, changedOf),
      state: stateOf(trend, since),
      cells: new Map(
        trend.nights.map((night, at) => [
          keyOf(night),
          { verdict: verdicts[at] as SeriesVerdict, index: at },
        ]),
      ),
      page: pageOf(name, hosts),
      anchor: name.regime,
      others: othersOf(own, trend, anyHost),
    });
  }
  return {
    ...{ by, nights, rows },
    runs: index.lines.length,
    newest: index.lines.at(-1)?.at ?? '',
    nightRuns: runsByNight(index.lines, keys, new Set(nights)),
  };
}

const hostsText = (hosts: readonly string[]): string =>
  hosts.length <= 2 ? hosts.join(' and ') : `${hosts[0]} and ${hosts.length - 1} more`;

/**
 * Returns the path of the page of a series on some hosts, relative to the site's folder. It ends with a hash, because
 * different series may have the same letters and digits.
 */
function pageOf({ series }: GroupName, hosts: readonly string[]): string {
  const values = valuesOfKey(series).map(fileWords).join('-');
  const digest = createHash('sha256')
    .update([series, ...hosts].join('\n'))
    .digest('hex')
    .slice(0, 8);
  return `series/${values.slice(0, 80)}-${digest}.html`;
}

/**
 * Returns histories of the same size range over the newest 200 runs with the kinds of points (days, runs, commits) that `trend`
 * does not have. A history with fewer than two points, or whose points combine the same runs as those of another, is left out.
 * @param trend history of the size range whose points are days, runs or commits
 * @param anyHost true = runs on different sets of hosts are in one history
 */
function othersOf(index: RunIndex, trend: Trend, anyHost: boolean): Trend[] {
  const newest = { ...index, lines: index.lines.slice(-maxSingleRuns) };
  const hasCommits = newest.lines.some(({ tags }) => tags?.commit !== undefined);
  const kinds = pointKinds.filter((kind) => kind !== trend.by && (kind !== 'commit' || hasCommits));
  const others = kinds.flatMap((by) => trendOf(newest, trend, { asked: '', anyHost, by }) ?? []);
  const same = new Set([pointsOf(trend.nights)]);
  return others.filter(({ nights }) => {
    const points = pointsOf(nights);
    return nights.length >= 2 && !same.has(points) && same.add(points);
  });
}

const pointsOf = (nights: readonly HistoryNight[]): string =>
  nights.map(({ runs }) => runs.map(({ id }) => id).join(' ')).join(',');
