import { mean } from 'simple-statistics';
import { rowOfKey } from '../axis-text.ts';
import { headlineNames } from '../schema/index.ts';
import { figureAt } from '../store/run-index/figures.ts';
import type { RunIndex } from '../store/run-index/open.ts';
import { changeRules, findChanges, type SeriesStep } from './changes.ts';
import { modesOf, type SeriesModes, withoutModes, withoutSwitches } from './modes.ts';
import {
  type GroupHistory,
  type HistoryNight,
  type LineIndex,
  nightsOf,
  type OmittedRuns,
  type PointKind,
  type SizeStep,
} from './nights.ts';
import { type GroupName, matchesSeries, nameOfGroup, orderOf } from './series-name.ts';

/** A change in the history of a series, with the names of nights in addition to their indices. */
export interface TrendChange extends SeriesStep {
  /**
   * Name (date) of the first night at the new level. `foundNight`: the first night at which enough nights were known to detect the
   * change.
   */
  night: string;
  foundNight: string;
  /**
   * True if the reference build (the same on all nights) also changed at most two nights earlier or later: the cause is then the
   * machine.
   */
  inAnchor: boolean;
}

/** Times of one series in one range of message sizes over all nights, with the changes found among them. */
export interface Trend extends GroupName {
  /** Name of the measured time: "latency", "pipelined". */
  figure: string;
  /**
   * Values among which changes are searched: times, or times divided by those of the reference build if the newest night has one.
   */
  kind: 'time' | 'ratio';
  /** Kind of an entry of `nights`: each run alone, all runs of a day, or all runs of a commit. */
  by: PointKind;
  /** Message sizes (x values) that are not used, because too few runs have a usable time there (commonSizes()). */
  open: number[];
  /** Message sizes that look much changed in the newest night, each judged alone. */
  sizes: SizeStep[];
  /** Nights, oldest first, or other points as `by` says; all indices of nights refer to this list. */
  nights: HistoryNight[];
  /** Certain changes, oldest first. */
  changes: TrendChange[];
  /** Sections between changes: `from` and `to` (exclusive) are indices into `nights`, `log` is the mean of their log values. */
  segments: { from: number; to: number; log: number }[];
  /**
   * Sections in which the series alternates between two levels; the switches between the levels are no changes. Empty if there are
   * none.
   */
  modes: SeriesModes[];
  /**
   * Number of runs left out, by reason. `noAnchor`: number of nights left out because they lack a measurement of the reference
   * build.
   */
  leftOut: OmittedRuns & { noAnchor: number };
}

export interface TrendQuery {
  /** Search words, all of which must be words of the series' name: "allreduce socket"; "" selects all series. */
  asked: string;
  /** Size range; absent = all of them. */
  regime?: GroupName['regime'];
  /** Name of the measured time, such as "latency"; absent = the one that tables show first, of those that any run has. */
  figure?: string;
  /** True to include runs on other hosts, too. */
  anyHost?: boolean;
  /**
   * Runs that one point of the history combines: all of a day or of a commit, or one run. Absent = by day; null = by day, or by run
   * if there are fewer than three days.
   */
  by?: PointKind | null;
}

/**
 * Returns the series and size ranges that match the query, sorted by series and then from small to large range. Those that no run
 * of the index measured are left out.
 */
export function matchingGroups(index: RunIndex, { asked, regime }: TrendQuery): GroupName[] {
  const used = new Set(index.lines.map(({ set }) => set));
  const columns = [...used].flatMap((set) => index.columns.get(set) ?? []);
  const groups = new Set(columns.map(({ group }) => group));
  return [...groups]
    .map(nameOfGroup)
    .filter((name) => matchesSeries(name, asked) && (regime === undefined || name.regime === regime))
    .map((name) => ({ name, order: [...orderOf(name.series), name.series] }))
    .sort(
      (a, b) =>
        compareLists(a.order, b.order) || regimes.indexOf(a.name.regime) - regimes.indexOf(b.name.regime),
    )
    .map(({ name }) => name);
}

const regimes = ['small', 'mid', 'large', 'all'];

/** Orders lists of texts for Array.sort() by the first element that differs: negative if `a` comes first, 0 if none differs. */
function compareLists(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, i) => text !== b[i]);
  return at < 0 ? 0 : (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}

/**
 * Returns nights and changes of one series and size range; null if no night has the time. If the query names no time, it is the
 * latency or the pipelined time: of those that any run has the one that tables show first. If the newest night has a reference
 * build, nights without one are left out.
 */
export function trendOf(index: RunIndex, name: GroupName, query: TrendQuery): Trend | null {
  const names = query.figure === undefined ? headlineNames(rowOfKey(name.series)) : [query.figure];
  const readings = names.map((figure) => ({ figure, own: readingsOf(index, name.group, figure) }));
  const measured = readings.find(({ own }) => own.lines.length > 0);
  if (measured === undefined) return null;
  const { nights: all, by, open, sizes, leftOut } = nightsOf(measured.own, query.anyHost === true, query.by);
  if (all.length === 0) return null;
  const isRatio = all.at(-1)?.ratio !== null;
  const nights = isRatio ? all.filter(({ ratio }) => ratio !== null) : all;
  const kind = isRatio ? 'ratio' : 'time';
  const z = nights.map((night) => (night[kind] as NonNullable<HistoryNight['ratio']>).log);
  const { steps, modes } = stepsAndModes(z, changeRules.smallest[kind]);
  const ofAnchor = isRatio
    ? findChanges(
        nights.map(({ anchor }) => anchor?.log as number),
        changeRules.smallest.time,
      )
    : [];
  const dateOf = (i: number): string => (nights[i] as HistoryNight).night;
  return {
    ...name,
    figure: measured.figure,
    kind,
    by,
    open,
    sizes,
    nights,
    changes: steps.map((change) => ({
      ...change,
      night: dateOf(change.at),
      foundNight: dateOf(change.foundAt),
      inAnchor: ofAnchor.some(({ at }) => Math.abs(at - change.at) <= 2),
    })),
    segments: segmentsOf(z, steps),
    modes,
    leftOut: { ...leftOut, noAnchor: all.length - nights.length },
  };
}

/**
 * Returns the changes of a series (`steps`, by ascending night), and the sections in which it alternates between two modes. Within
 * such a section, changes that affect both modes are searched after the modes' difference was subtracted.
 * @param z log times (or log ratios), oldest first
 * @param smallest smallest change that is reported, in log time
 */
export function stepsAndModes(
  z: readonly number[],
  smallest: number,
): { steps: SeriesStep[]; modes: SeriesModes[] } {
  const found = findChanges(z, smallest);
  const changes = withoutSwitches(z, found);
  const modes = segmentsOf(z, changes).flatMap(({ from, to }) => {
    const isAlternating = found.some(({ at }) => at > from && at < to);
    return modesOf(z, from, to, isAlternating) ?? [];
  });
  const shared = modes.flatMap(({ from, to }) =>
    findChanges(withoutModes(z.slice(from, to), modes, from), smallest).map((step) => ({
      ...step,
      ...{ at: from + step.at, foundAt: from + step.foundAt },
      ...{ first: from + step.first, last: from + step.last },
    })),
  );
  return { steps: [...changes, ...shared].sort((a, b) => a.at - b.at), modes };
}

function readingsOf({ lines, columns }: RunIndex, group: string, figure: string): GroupHistory {
  const bySet = new Map<string, LineIndex>();
  for (const [set, all] of columns) {
    const index = all.findIndex((column) => column.group === group && column.figure === figure);
    const column = all[index];
    if (column === undefined) continue;
    const firstPoint = all.slice(0, index).reduce((sum, { xs }) => sum + xs.length, 0);
    bySet.set(set, { column, index, firstPoint });
  }
  const readings: GroupHistory = { lines: [], places: [], logs: [], sds: [], launches: [] };
  for (const line of lines) {
    const place = bySet.get(line.set);
    const level = place === undefined ? null : figureAt(line.figures, place.index);
    if (place === undefined || level === null) continue;
    readings.lines.push(line);
    readings.places.push(place);
    readings.logs.push(level.log);
    readings.sds.push(level.sd);
    readings.launches.push(level.launches);
  }
  return readings;
}

function segmentsOf(z: readonly number[], changes: readonly SeriesStep[]): Trend['segments'] {
  const starts = [0, ...changes.map(({ at }) => at)];
  return starts.map((from, i) => {
    const to = starts[i + 1] ?? z.length;
    return { from, to, log: mean(z.slice(from, to)) };
  });
}
