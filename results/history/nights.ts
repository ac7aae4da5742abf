import { mean, median, medianAbsoluteDeviation } from 'simple-statistics';
import { isLarge } from '../judge/large.ts';
import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { hasAllPoints, pointsAt } from '../store/run-index/figures.ts';
import { type GroupLevels, levelOf, poolLaunches, ratioOf, type TimeLevel } from './levels.ts';
import { adjustedLog, commonSizes } from './sizes.ts';

/** Position at which a line of the index stores the figures of one series and size range. */
export interface LineIndex {
  column: HistoryColumn;
  index: number;
  /** Number of points that precede this column's points in the line. */
  firstPoint: number;
}

/**
 * Values of one series and size range in all runs, oldest first: lists of equal length, one entry per run. Lists, because one
 * object per run would take most of the time of a query.
 */
export interface GroupHistory extends GroupLevels {
  lines: HistoryLine[];
  places: LineIndex[];
}

/**
 * The runs that are one point of a history: each run alone (of a suite with a reference build: all its repetitions), all runs of
 * a day, or all runs of a commit.
 */
export const pointKinds = ['run', 'day', 'commit'] as const;
export type PointKind = (typeof pointKinds)[number];
/** Lowest number of days with runs for which the default is one point per day. With fewer, each run is a point. */
const fewestDays = 3;

export type NightRun = Pick<HistoryLine, 'id' | 'folder' | 'label'>;

/**
 * One point of a history. It contains one run, or several (repetitions in a suite, a second measurement, the runs of a day or
 * commit).
 */
export interface HistoryNight {
  /**
   * Name of the point. By day: UTC date, "2026-11-21"; for a suite that of its first run. By run or commit: with the time,
   * "2026-11-21 18:02".
   */
  night: string;
  time: TimeLevel;
  /** Time of the reference build, measured alternately with tonight's build; null if there was none. */
  anchor: TimeLevel | null;
  /** Log of tonight's time over the time of the reference build; null if there was none. */
  ratio: TimeLevel | null;
  /**
   * The same values from the second measurement of a suite alone; null if there was none. A gate measures again what looks slower.
   */
  again: Pick<HistoryNight, 'time' | 'ratio'> | null;
  /** Runs of tonight's build, oldest first. */
  runs: NightRun[];
  /** Remarks for readers: the commit, "imported", the state unless complete ("no end" while running), and flags of the cells. */
  marks: string[];
  /**
   * X values (for example payload bytes) that the history uses, but for which at least one of the night's runs has no usable
   * time. In the mean of that run an estimate from neighbouring runs stands for the missing time (see sizes.ts).
   */
  open: number[];
}

/** A single size whose newest night differs much from its earlier nights. */
export interface SizeStep {
  /** X value, for example payload bytes. */
  x: number;
  /** Time of the newest night over the median of the earlier ones; with a reference build, the ratio of the ratios to it. */
  ratio: number;
}

/** Number of runs that are left out because they cannot be compared with the newest one, by reason. */
export interface OmittedRuns {
  /** Runs that measured other sizes or used another method. */
  unlike: number;
  otherHosts: number;
  /** Runs without a usable time at any x value of the history, or with too few to estimate the missing ones. */
  open: number;
  /** Runs without the tag `commit`, in a history by commit. */
  noCommit: number;
}

/**
 * Returns the nights of one series and size range, oldest first. Only runs with the method of the newest one; only runs on the
 * same hosts unless `anyHost`.
 */
export function nightsOf(
  all: GroupHistory,
  anyHost: boolean,
  asked: PointKind | null = 'day',
): { nights: HistoryNight[]; by: PointKind; open: number[]; sizes: SizeStep[]; leftOut: OmittedRuns } {
  const { lines, places } = all;
  const leftOut = { unlike: 0, otherHosts: 0, open: 0, noCommit: 0 };
  const ofTonight = lines.findLastIndex(({ suite }) => suite?.arm !== 'anchor');
  const newest = ofTonight < 0 ? lines.length - 1 : ofTonight;
  const model = lines[newest];
  if (model === undefined) return { nights: [], by: asked ?? 'day', open: [], sizes: [], leftOut };
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
  const by = asked ?? (days.size < fewestDays && kept.length > days.size ? 'run' : 'day');
  if (by === 'commit') leftOut.noCommit = kept.filter((i) => lines[i]?.tags?.commit === undefined).length;
  const members = by === 'day' ? days : membersBy(lines, kept, by === 'run' ? runOf : commitOf);
  const nights = [...members].flatMap(([key, own]) => {
    const first = (lines[own[0] as number] as HistoryLine).at;
    return nightOf(by === 'day' ? key : first.slice(0, 16).replace('T', ' '), adjusted, own, missing);
  });
  const newestNights = [...members.values()].slice(-1 - maxNightsOfSizes);
  return { nights, by, open, sizes: sizeStepsOf(all, newestNights), leftOut };
}

/** Robust standard deviations by which a night must differ from others to look changed. */
export const farOffScatter = 4;

/** Number of nights before the newest one with which single sizes are compared. */
const maxNightsOfSizes = 15;

/** Returns the single sizes whose newest night is far from the earlier nights, compared with their scatter. @param nights indices of runs, by night */
function sizeStepsOf(all: GroupHistory, nights: readonly (readonly number[])[]): SizeStep[] {
  const logs = nights.flatMap((members) => sizeLogsOf(all, members) ?? []);
  const newest = logs.at(-1);
  if (newest === undefined) return [];
  const earlier = logs.slice(0, -1).filter(({ isRatio }) => isRatio === newest.isRatio);
  return newest.xs.flatMap((x, i): SizeStep[] => {
    const now = newest.logs[i] ?? null;
    const before = earlier.flatMap((night) => night.logs[i] ?? []);
    if (now === null || before.length === 0) return [];
    const ratio = Math.exp(now - median(before));
    const limit = farOffScatter * 1.4826 * medianAbsoluteDeviation(before);
    return isLarge(ratio) && Math.abs(Math.log(ratio)) >= limit ? [{ x, ratio }] : [];
  });
}

interface SizesOfNight {
  xs: readonly number[];
  /** Log time at each x, or the log ratio to the reference build; null without a usable time. */
  logs: (number | null)[];
  isRatio: boolean;
}

/** Returns the times of one night at each x; null if all of its runs are of the reference build. */
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
  /** The values of all runs, but the mean of each kept run is over the same x values. */
  adjusted: GroupHistory;
  /** X values that are not used, because fewer than half of the runs have a usable time there. */
  open: number[];
  /** Indices of the runs for which a mean over the used x values is known. */
  kept: readonly number[];
  /** The used x values for which a run has no usable time, by index of the run. */
  missing: Map<number, number[]>;
}

/**
 * Computes the runs' means over the same x values. On a busy machine different runs lack a usable time at different x values, and
 * means over different values cannot be compared.
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

/** Returns the indices of the lines by key, in the order in which keys first occur. Lines without a key are left out. */
function membersBy(
  lines: readonly HistoryLine[],
  kept: readonly number[],
  keyOf: LineKey,
): Map<string, number[]> {
  const members = new Map<string, number[]>();
  for (const i of kept) {
    const key = keyOf(lines[i] as HistoryLine);
    if (key === undefined) continue;
    const there = members.get(key);
    if (there === undefined) members.set(key, [i]);
    else there.push(i);
  }
  return members;
}

/**
 * Returns a function that gives the day of an index line; a suite has the day of its first run. Neighbouring lines of the same
 * day get the same string object, which avoids cutting it out again.
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
 * Returns a function that tests whether hosts are the same as `here`. Lines mostly share one list object, so the last result is
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
 * Returns one night as a list; empty if all its runs are of the reference build.
 * @param members indices of runs
 * @param missing used x values without a usable time, by index of a run
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
      marks: marksOf(all, tonight),
      open: [...new Set(tonight.flatMap((i) => missing.get(i) ?? []))].sort((a, b) => a - b),
    },
  ];
}

/** @param tonight, anchors indices of runs of tonight's build and of the reference build */
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

function marksOf({ lines, places }: GroupHistory, members: readonly number[]): string[] {
  const marks = new Set<string>();
  for (const i of members) {
    const { imported, state, flags, tags } = lines[i] as HistoryLine;
    const commit = tags?.commit;
    if (commit !== undefined) marks.add(`commit ${commit.slice(0, 12)}`);
    if (imported === true) marks.add('imported');
    if (state !== 'complete') marks.add(state === 'running' ? 'no end' : state);
    if (flags === undefined) continue;
    const { index } = places[i] as LineIndex;
    for (const [flag, flagged] of Object.entries(flags)) if (flagged.includes(index)) marks.add(flag);
  }
  return [...marks];
}
