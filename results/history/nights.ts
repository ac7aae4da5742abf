import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { hasAllPoints, pointsAt } from '../store/run-index/figures.ts';
import { type GroupLevels, levelOf, poolLaunches, ratioOf, type TimeLevel } from './levels.ts';
import { adjustedLog, commonSizes } from './sizes.ts';

/** Position of a group in the figures of a history line. */
export interface LineIndex {
  column: HistoryColumn;
  index: number;
  /** Number of points of all columns before it. */
  firstPoint: number;
}

/**
 * Measured values of a group in all runs, oldest first: lists of equal length, one entry per run. One object per run would
 * take most of the time of a query.
 */
export interface GroupHistory extends GroupLevels {
  lines: HistoryLine[];
  places: LineIndex[];
}

/** Runs that form one point of a history: one run (of a suite with an anchor: all its turns), a day, or a commit. */
export const pointKinds = ['run', 'day', 'commit'] as const;
export type PointKind = (typeof pointKinds)[number];
/** Minimum number of days with runs for a history by day. With fewer, each run is a point unless the user asked for days. */
const fewestDays = 3;

export type NightRun = Pick<HistoryLine, 'id' | 'folder' | 'label'>;

/** All measurements of a group in one night: one run, or several (turns of a suite, a second measurement). */
export interface HistoryNight {
  /** UTC date, "2026-11-21"; for a suite the date of its first run. By run or commit with the time: "2026-11-21 18:02". */
  night: string;
  time: TimeLevel;
  /** Level of the anchor build, measured in turns with tonight's build; null without an anchor. */
  anchor: TimeLevel | null;
  /** Log of tonight's time over the anchor's time; null without an anchor. */
  ratio: TimeLevel | null;
  /** Runs of tonight's build, oldest first. */
  runs: NightRun[];
  /** Remarks: commit, "imported", state unless complete ("no end" while running), and flags of the cells. */
  marks: string[];
  /** Sizes, or other x, without an interval in one of the runs. The night is judged by the remaining sizes. */
  open: number[];
}

/** Number of nights that cannot be compared with the newest one, by reason. */
export interface OmittedNights {
  /** Nights with other sizes or another method. */
  unlike: number;
  otherHosts: number;
  /** Nights without an interval at any x of the history. */
  open: number;
  /** Runs without the tag `commit`, in a history by commit. */
  noCommit: number;
}

/** Nights of a group, oldest first: runs with the method of the newest one, on the same hosts unless `anyHost`. */
export function nightsOf(
  all: GroupHistory,
  anyHost: boolean,
  asked: PointKind | null = 'day',
): { nights: HistoryNight[]; by: PointKind; open: number[]; leftOut: OmittedNights } {
  const { lines, places } = all;
  const leftOut = { unlike: 0, otherHosts: 0, open: 0, noCommit: 0 };
  const ofTonight = lines.findLastIndex(({ suite }) => suite?.arm !== 'anchor');
  const newest = ofTonight < 0 ? lines.length - 1 : ofTonight;
  const model = lines[newest];
  if (model === undefined) return { nights: [], by: asked ?? 'day', open: [], leftOut };
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
  return { nights, by, open, leftOut };
}

interface CommonReadings {
  /** Copy of the group's history in which the level of each kept run covers the same x. */
  adjusted: GroupHistory;
  /** The x that fewer than half of the runs have; they are not used. */
  open: number[];
  /** Indices of runs that have a level. */
  kept: readonly number[];
  /** The used x that a run lacks, by index of the run. */
  missing: Map<number, number[]>;
}

/**
 * Levels over a common set of x. On a busy machine different runs lack an interval at different x, and means over different
 * x cannot be compared.
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

/** Indices of lines by key, in the order of first occurrence. Lines without a key are left out. */
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
 * Returns a function for the day of a line; a suite has the day of its first run. Neighbouring lines of a day share one
 * string, so that it is found without slicing.
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

/** Returns a test for equal host lists. Lines mostly share the same list object, so the last result is kept. */
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
 * One night, or none if all its runs are of the anchor build.
 * @param members indices of runs
 * @param missing the x without an interval, by index of a run
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
  const own = poolLaunches(all, tonight);
  const theirs = anchors.length === 0 ? null : poolLaunches(all, anchors);
  return [
    {
      night,
      time: levelOf(own),
      anchor: theirs === null ? null : levelOf(theirs),
      ratio: theirs === null ? null : ratioOf(own, theirs),
      runs: tonight.map((i): NightRun => {
        const { id, folder, label } = lineAt(i);
        return { id, folder, ...(label === undefined ? {} : { label }) };
      }),
      marks: marksOf(all, tonight),
      open: [...new Set(tonight.flatMap((i) => missing.get(i) ?? []))].sort((a, b) => a - b),
    },
  ];
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
