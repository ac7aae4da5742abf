import { mean, median, medianAbsoluteDeviation } from 'simple-statistics';
import { addTo } from '../collections.ts';
import { loadFlags } from '../compare/load.ts';
import { isLarge, largeRatio } from '../judge/difference.ts';
import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { hasAllPoints, pointsAt } from '../store/run-index/figures.ts';
import { changeRules, maxUnseenShare } from './changes.ts';
import { type GroupLevels, levelOf, poolLaunches, ratioOf, type TimeLevel } from './levels.ts';
import { adjustedLog, commonSizes } from './sizes.ts';

/**
 * Position of one series and size range in a line of the run index (one line per run). `index`: index of `column` among the columns
 * of the line.
 */
export interface LineIndex {
  column: HistoryColumn;
  index: number;
  /** Number of values in the line's `points` (one per message size) that precede those of this column. */
  firstPoint: number;
}

/**
 * Times of one series in one size range for all runs that have them, oldest first: lists of equal length with one element per run,
 * because objects would make queries slow. `lines`: the runs' lines in the index; `places`: where these have the series.
 */
export interface GroupHistory extends GroupLevels {
  lines: HistoryLine[];
  places: LineIndex[];
}

/**
 * Kinds of points in a history: each run is a point of its own (the runs of one suite together), or all runs of a day, or all runs
 * of a commit.
 */
export const pointKinds = ['run', 'day', 'commit'] as const;
export type PointKind = (typeof pointKinds)[number];
/**
 * If no kind of points is requested: number of days from which on all runs of a day are one point of the history. With fewer days,
 * each run is a point.
 */
const minDays = 3;

export type NightRun = Pick<HistoryLine, 'id' | 'folder' | 'label'>;

/**
 * One point of a history, usually a night: one run, or several (repetitions in a suite, runs of one day or commit).
 */
export interface HistoryNight {
  /**
   * Name of the point, in UTC. By day: the date, "2026-11-21"; a suite has the day of its first run. By run or commit: date and
   * time of its first run, to the minute, "2026-11-21 18:02"; two points may have the same name.
   */
  night: string;
  /** Mean time of the build under test: mean log time, ns, over the message sizes and over all launches of the night. */
  time: TimeLevel;
  /** Mean time of the reference build, measured alternately with the build under test; null if there was no reference build. */
  anchor: TimeLevel | null;
  /** Log of the build under test's time divided by the reference build's; null if there was no reference build. */
  ratio: TimeLevel | null;
  /** Time and ratio of the repeated measurement alone; null if nothing was repeated. A gate measures again what looks slower. */
  again: Pick<HistoryNight, 'time' | 'ratio'> | null;
  /** Runs of the build under test (not of the reference build) in this night, oldest first. */
  runs: NightRun[];
  /** Remarks that make no result doubtful: the commit, "imported". */
  notes: string[];
  /** Remarks that make results doubtful: the run's state if it is not complete ("no end" while running), and flags of the cells. */
  warnings: string[];
  /**
   * Message sizes (x values) for which a run of this night has no usable time, although the history uses them. The mean has an
   * estimate from neighbouring runs instead.
   */
  open: number[];
}

/** A message size whose time in the newest night differs much from earlier nights. */
export interface SizeStep {
  /** Message size in bytes, or the value of another x axis. */
  x: number;
  /**
   * Newest time divided by the median of earlier ones: 2 = twice as slow. With a reference build, both are relative to its times.
   */
  ratio: number;
  /** True if the repeated measurement of the night shows the change, too, and no other processes disturbed the night. */
  isSeenAgain: boolean;
}

/** Number of runs that the history leaves out, by the reason for leaving them out. */
export interface OmittedRuns {
  /**
   * Number of runs that measured other sizes or with another method than the newest run, or that are imported although the newest
   * run is not, or the reverse; `otherHosts`: on other hosts.
   */
  unlike: number;
  otherHosts: number;
  /**
   * Number of runs without a usable time at any of the used message sizes, or whose missing times cannot be estimated from other
   * runs.
   */
  open: number;
  /** Number of runs without the tag `commit`, if the history is by commit. */
  noCommit: number;
}

/**
 * Returns the nights of one series and size range, oldest first: runs with the method of the newest run and, unless `anyHost`, on
 * the same hosts.
 * @param kind kind of the history's points; absent = by day; null = by day, or by run if there are fewer than three days
 * @returns `by`: kind that was used; `open`: message sizes that are not used; `sizes`: single sizes that look changed in the newest
 * night; `leftOut`: number of runs left out, by reason
 */
export function nightsOf(
  all: GroupHistory,
  anyHost: boolean,
  kind: PointKind | null = 'day',
): { nights: HistoryNight[]; by: PointKind; open: number[]; sizes: SizeStep[]; leftOut: OmittedRuns } {
  const { lines, places } = all;
  const leftOut = { unlike: 0, otherHosts: 0, open: 0, noCommit: 0 };
  const ofTonight = lines.findLastIndex(({ suite }) => suite?.arm !== 'anchor');
  const newest = ofTonight < 0 ? lines.length - 1 : ofTonight;
  const model = lines[newest];
  if (model === undefined) return { nights: [], by: kind ?? 'day', open: [], sizes: [], leftOut };
  const way = places[newest]?.column.like;
  const isHere = sameHosts(model.hosts);
  const like: number[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const { imported, hosts } = lines[i] as HistoryLine;
    if (places[i]?.column.like !== way || imported !== model.imported) {
      leftOut.unlike += 1;
      continue;
    }
    if (!anyHost && !isHere(hosts)) {
      leftOut.otherHosts += 1;
      continue;
    }
    like.push(i);
  }
  const { adjusted, open, kept, missing } = overCommonSizes(all, like);
  leftOut.open = like.length - kept.length;
  const days = membersBy(lines, kept, dayOf());
  const by = kind ?? (days.size < minDays && kept.length > days.size ? 'run' : 'day');
  if (by === 'commit') leftOut.noCommit = kept.filter((i) => lines[i]?.tags?.commit === undefined).length;
  const members = by === 'day' ? days : membersBy(lines, kept, by === 'run' ? runOf : commitOf);
  const nights = [...members].flatMap(([key, own]) => {
    const first = (lines[own[0] as number] as HistoryLine).at;
    return nightOf(by === 'day' ? key : first.slice(0, 16).replace('T', ' '), adjusted, own, missing);
  });
  const newestNights = [...members.values()].slice(-1 - maxNightsOfSizes);
  return { nights, by, open, sizes: sizeStepsOf(all, newestNights), leftOut };
}

/**
 * A night counts as changed only if its log time is at least this many robust standard deviations (1.4826 MAD) from the median of
 * the other nights.
 */
export const farOffScatter = 4;

/**
 * If at least this many earlier nights were off in the same direction by more than half as much at a size, the newest night's time
 * at this size is not reported as changed.
 */
const minAlikeNights = 3;

/** Highest number of earlier nights with which the times of single message sizes are compared. */
const maxNightsOfSizes = 15;

/**
 * Returns message sizes whose newest time is far from that of earlier nights: either by a large change (1.5-fold), or by a smaller
 * one that a repeated measurement shows, too. Empty without earlier nights.
 * @param nights for each night, oldest first, the indices of its runs
 */
function sizeStepsOf(all: GroupHistory, nights: readonly (readonly number[])[]): SizeStep[] {
  const logs = nights.flatMap((members) => sizeLogsOf(all, members) ?? []);
  const newest = logs.at(-1);
  const members = nights.at(-1) ?? [];
  if (newest === undefined) return [];
  const isDisturbed = marksOf(all, members).warnings.some((mark) => loadFlags.includes(mark));
  const second = members.filter((i) => all.lines[i]?.suite?.pass === 'again');
  const isComparable = (night: SizesOfNight | null) => night?.isRatio === newest.isRatio;
  const repeated = isDisturbed ? null : sizeLogsOf(all, second);
  const again = isComparable(repeated) ? repeated : null;
  const earlier = logs.slice(0, -1).filter(isComparable);
  return newest.xs.flatMap((x, i): SizeStep[] => {
    const before = earlier.flatMap((night) => night.logs[i] ?? []);
    const now = newest.logs[i] ?? null;
    if (now === null || before.length === 0) return [];
    const limit = farOffScatter * 1.4826 * medianAbsoluteDeviation(before);
    const smallest = Math.log(before.length < changeRules.left ? largeRatio : 1 + maxUnseenShare);
    const shiftOf = (log: number | null): number => (log === null ? 0 : log - median(before));
    const isFar = (shift: number): boolean => Math.abs(shift) >= Math.max(limit, smallest);
    const [shift, shiftAgain] = [shiftOf(now), shiftOf(again?.logs[i] ?? null)];
    const isSeenAgain = isFar(shiftAgain) && shift * shiftAgain > 0;
    const ratio = Math.exp(shift);
    // With two states of the machine, earlier nights had such times, too.
    const alike = before.filter((log) => (log - median(before)) / shift > 0.5).length;
    if (alike >= minAlikeNights) return [];
    return isFar(shift) && (isLarge(ratio) || isSeenAgain) ? [{ x, ratio, isSeenAgain }] : [];
  });
}

interface SizesOfNight {
  /** Message sizes (x values), in the order of `logs`. */
  xs: readonly number[];
  /** Log time at each message size, or log of the ratio to the reference build's time (`isRatio`); null without a usable time. */
  logs: (number | null)[];
  isRatio: boolean;
}

/**
 * Returns one night's log time at each message size, or its log ratio to the reference build if that was measured, too. Null if
 * only the reference build ran.
 * @param members indices of the night's runs
 */
function sizeLogsOf({ lines, places }: GroupHistory, members: readonly number[]): SizesOfNight | null {
  const isAnchor = (i: number): boolean => lines[i]?.suite?.arm === 'anchor';
  const [first] = members.filter((i) => !isAnchor(i));
  if (first === undefined) return null;
  const { xs } = (places[first] as LineIndex).column;
  const meansOf = (own: readonly number[]): (number | null)[] => {
    const runs = own.map((i) =>
      pointsAt((lines[i] as HistoryLine).points, (places[i] as LineIndex).firstPoint, xs.length),
    );
    return xs.map((_x, at) => {
      const logs = runs.flatMap((run) => run[at] ?? []);
      return logs.length === 0 ? null : mean(logs);
    });
  };
  const isRatio = members.some(isAnchor);
  const tonight = meansOf(members.filter((i) => !isAnchor(i)));
  if (!isRatio) return { xs, logs: tonight, isRatio };
  const anchor = meansOf(members.filter(isAnchor));
  const logs = tonight.map((log, at) => {
    const other = anchor[at] ?? null;
    return log === null || other === null ? null : log - other;
  });
  return { xs, logs, isRatio };
}

interface CommonReadings {
  /** Times of all runs; those of `kept` runs are means over the same message sizes. */
  adjusted: GroupHistory;
  /** Message sizes (x values) that are not used, because too few runs have a usable time there (commonSizes()). */
  open: number[];
  /**
   * Indices, in the history's `lines`, of the compared runs (`like`) whose mean over the used sizes is known, measured or with
   * estimates.
   */
  kept: readonly number[];
  /**
   * For runs, by index: message sizes that the history uses but for which the run has no usable time, so that they were estimated.
   * Runs without such sizes are absent.
   */
  missing: Map<number, number[]>;
}

/**
 * Computes the runs' mean log times over the same message sizes. On a busy machine different runs lack a usable time at different
 * sizes, and means over different sizes cannot be compared.
 * @param like indices of the runs to compare
 */
function overCommonSizes(all: GroupHistory, like: readonly number[]): CommonReadings {
  const { lines, places, logs } = all;
  const missing = new Map<number, number[]>();
  const isWhole = (i: number): boolean => {
    const { column, firstPoint } = places[i] as LineIndex;
    return hasAllPoints((lines[i] as HistoryLine).points, firstPoint, column.xs.length);
  };
  if (like.every(isWhole)) return { adjusted: all, open: [], kept: like, missing };
  const { xs } = (places[like[0] as number] as LineIndex).column;
  const runs = like.map((i) =>
    pointsAt((lines[i] as HistoryLine).points, (places[i] as LineIndex).firstPoint, xs.length),
  );
  const { used, unused } = commonSizes(runs, xs.length);
  const adjusted: GroupHistory = { ...all, logs: [...logs] };
  const kept = like.filter((i, at) => {
    const level = adjustedLog(runs, at, used);
    if (level === null) return false;
    adjusted.logs[i] = level.log;
    if (level.missing.length > 0)
      missing.set(
        i,
        level.missing.map((x) => xs[x] as number),
      );
    return true;
  });
  return { adjusted, open: unused.map((x) => xs[x] as number), kept, missing };
}

type LineKey = (line: HistoryLine) => string | undefined;

/**
 * Returns the indices of runs by a key such as day or commit.
 * @param kept indices of runs in `lines`; runs whose key is undefined are left out
 */
function membersBy(
  lines: readonly HistoryLine[],
  kept: readonly number[],
  keyOf: LineKey,
): Map<string, number[]> {
  const members = new Map<string, number[]>();
  for (const i of kept) {
    const key = keyOf(lines[i] as HistoryLine);
    if (key !== undefined) addTo(members, key, i);
  }
  return members;
}

/**
 * Returns a function that gives the day of a line in the run index; a suite has the day of its first run. Consecutive lines of one
 * day get the same string object, which saves time.
 */
function dayOf(): LineKey {
  const suites = new Map<string, string>();
  let date = '';
  return ({ at, suite }) => {
    if (date === '' || !at.startsWith(date)) date = at.slice(0, 10);
    const day = suite === undefined ? date : (suites.get(suite.id) ?? date);
    if (suite !== undefined) suites.set(suite.id, day);
    return day;
  };
}

const runOf: LineKey = ({ folder, suite }) => suite?.id ?? folder;
const commitOf: LineKey = ({ tags }) => tags?.commit;

/**
 * Returns a function that tests whether a list of hosts equals `here`. Lines mostly share one list object, so the last result is
 * reused.
 */
function sameHosts(here: readonly string[]): (hosts: readonly string[]) => boolean {
  const names = here.join('\n');
  let last = here;
  let isSame = true;
  return (hosts) => {
    if (hosts !== last) isSame = hosts.join('\n') === names;
    last = hosts;
    return isSame;
  };
}

/**
 * Returns one night as a list of one; empty if only the reference build was measured.
 * @param night name of the night
 * @param members indices of the night's runs
 * @param missing for each run, by index: used message sizes without a usable time
 */
function nightOf(
  night: string,
  all: GroupHistory,
  members: readonly number[],
  missing: ReadonlyMap<number, readonly number[]>,
): HistoryNight[] {
  const lineAt = (i: number) => all.lines[i] as HistoryLine;
  const [tonight, anchors]: [number[], number[]] = [[], []];
  for (const i of members) (lineAt(i).suite?.arm === 'anchor' ? anchors : tonight).push(i);
  if (tonight.length === 0) return [];
  const isAgain = (i: number): boolean => lineAt(i).suite?.pass === 'again';
  const second = tonight.filter(isAgain);
  return [
    {
      night,
      ...levelsOf(all, tonight, anchors),
      again: second.length === 0 ? null : levelsOf(all, second, anchors.filter(isAgain)),
      runs: tonight.map((i): NightRun => {
        const { id, folder, label } = lineAt(i);
        return { id, folder, ...(label === undefined ? {} : { label }) };
      }),
      ...marksOf(all, tonight),
      open: [...new Set(tonight.flatMap((i) => missing.get(i) ?? []))].sort((a, b) => a - b),
    },
  ];
}

/**
 * Returns the mean times of the build under test and of the reference build, and their ratio, all in log time. `anchor` and `ratio`
 * are null if `anchors` is empty.
 * @param tonight, anchors indices of the runs of the build under test, and of those of the reference build
 */
function levelsOf(
  all: GroupHistory,
  tonight: readonly number[],
  anchors: readonly number[],
): Pick<HistoryNight, 'time' | 'anchor' | 'ratio'> {
  const own = poolLaunches(all, tonight);
  const theirs = anchors.length === 0 ? null : poolLaunches(all, anchors);
  return {
    time: levelOf(own),
    anchor: theirs === null ? null : levelOf(theirs),
    ratio: theirs === null ? null : ratioOf(own, theirs),
  };
}

function marksOf(
  { lines, places }: GroupHistory,
  members: readonly number[],
): Pick<HistoryNight, 'notes' | 'warnings'> {
  const [notes, warnings] = [new Set<string>(), new Set<string>()];
  for (const i of members) {
    const { imported, state, flags, tags } = lines[i] as HistoryLine;
    const commit = tags?.commit;
    if (commit !== undefined) notes.add(`commit ${commit.slice(0, 12)}`);
    if (imported === true) notes.add('imported');
    if (state !== 'complete') warnings.add(state === 'running' ? 'no end' : state);
    if (flags === undefined) continue;
    const { index } = places[i] as LineIndex;
    for (const [flag, flagged] of Object.entries(flags)) if (flagged.includes(index)) warnings.add(flag);
  }
  return { notes: [...notes], warnings: [...warnings] };
}
