import { createHash } from 'node:crypto';
import {
  byHosts,
  type changesBetweenNights,
  explain,
  type GroupName,
  type HistoryNight,
  matchingGroups,
  type PointKind,
  pointKinds,
  type SeriesState,
  type SeriesVerdict,
  stateOf,
  type Trend,
  type TrendReport,
  trendOf,
  verdictsOf,
} from '../../results/history/index.ts';
import type { RunIndex } from '../../results/store/index.ts';
import { type NightRuns, nightKeys, runsByNight } from './night-runs.ts';

export interface SiteIndexQuery {
  by: PointKind | null;
  /** Nights in the grid. */
  nights: number;
  anyHost: boolean;
}

/** A group over the nights, with what is said of it. */
export interface SiteIndexRow {
  told: TrendReport;
  state: SeriesState;
  /** By night: its verdict, and where it is in the trend. */
  cells: ReadonlyMap<string, { verdict: SeriesVerdict; index: number }>;
  /** Page of its series from the site's folder, and its place there. */
  page: string;
  anchor: string;
  /** The same by the other kinds of points, for its page. */
  others: Trend[];
}

/** All that a site says of a history. */
export interface SiteIndex {
  by: PointKind;
  runs: number;
  /** Of the newest run: "2026-11-21T03:00:00.000Z". */
  newest: string;
  /** Of the grid, oldest first. */
  nights: string[];
  /** What ran in each night of the grid. */
  nightRuns: ReadonlyMap<string, NightRuns>;
  rows: SiteIndexRow[];
  /** More than one set of machines: their names are part of a row's title. */
  hasHosts: boolean;
}

/** Runs of which each is a point of its own on the page of a series. */
const mostSingle = 200;
/** Fewer days with runs are no history by days. */
const fewestDays = 3;

/** The history as a board. @param changedOf what changed between two nights, for changes in the grid and the last one */
export async function boardOf(
  index: RunIndex,
  { by: asked, nights: shown, anyHost }: SiteIndexQuery,
  changedOf?: typeof changesBetweenNights,
): Promise<SiteIndex> {
  const days = new Set(index.lines.map(({ at }) => at.slice(0, 10)));
  const by = asked ?? (days.size < fewestDays ? 'run' : 'day');
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
      told: await explain(own, titled, since, changedOf),
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
    ...{ by, hasHosts, nights, rows },
    runs: index.lines.length,
    newest: index.lines.at(-1)?.at ?? '',
    nightRuns: runsByNight(index.lines, keys, new Set(nights)),
  };
}

const hostsText = (hosts: readonly string[]): string =>
  hosts.length <= 2 ? hosts.join(' and ') : `${hosts[0]} and ${hosts.length - 1} more`;

/** Of a series on its hosts; the digest keeps apart what has the same letters and digits. */
function pageOf({ series }: GroupName, hosts: readonly string[]): string {
  const values = series.replaceAll(/[^;=/]+=/g, '').replaceAll(/[^\w.]+/g, '-');
  const digest = createHash('sha256')
    .update([series, ...hosts].join('\n'))
    .digest('hex')
    .slice(0, 8);
  return `series/${values.slice(0, 80).replaceAll(/^[-.]+|-+$/g, '')}-${digest}.html`;
}

/** The newest runs by the other kinds of points; none that has the very points of another. */
function othersOf(index: RunIndex, trend: Trend, anyHost: boolean): Trend[] {
  const newest = { ...index, lines: index.lines.slice(-mostSingle) };
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
