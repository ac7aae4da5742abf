import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { hasAllPoints, pointsAt } from '../store/run-index/figures.ts';
import { type GroupLevels, levelOf, poolLaunches, ratioOf, type TimeLevel } from './levels.ts';
import { adjustedLog, commonSizes } from './sizes.ts';

/** Where a group stands in the figures of a line. */
export interface LineIndex {
  column: HistoryColumn;
  index: number;
  /** Number of points of all columns before it. */
  firstPoint: number;
}

/**
 * What runs measured of a group, oldest first: lists of equal length, one entry per run. An object per run would be most of
 * the time that a question takes.
 */
export interface GroupHistory extends GroupLevels {
  lines: HistoryLine[];
  places: LineIndex[];
}

/** What is one point of a history: each run (of a suite with an anchor all its turns), all of a day, all of a commit. */
export const pointKinds = ['run', 'day', 'commit'] as const;
export type PointKind = (typeof pointKinds)[number];
/** Fewer days with runs are no history by days: then each run is a point, where nothing else is asked. */
const fewestDays = 3;

export type NightRun = Pick<HistoryLine, 'id' | 'folder' | 'label'>;

/** All that was measured of a group in one night: one run, or several (turns of a suite, a second measurement). */
export interface HistoryNight {
  /** UTC date: "2026-11-21"; of a suite that of its first run. By run and commit with the time: "2026-11-21 18:02". */
  night: string;
  time: TimeLevel;
  /** The anchor's, measured in turns with it; null without one. */
  anchor: TimeLevel | null;
  /** Log of tonight's time over that of the anchor. */
  ratio: TimeLevel | null;
  /** Runs of tonight's arm, oldest first. */
  runs: NightRun[];
  /** imported, interrupted, failed, and flags of its cells. */
  marks: string[];
  /** Sizes, or other x, without an interval in one of its runs. The night is judged by the others. */
  open: number[];
}

/** Nights that cannot be held against the newest one. */
export interface OmittedNights {
  /** Other sizes, or another method. */
  unlike: number;
  otherHosts: number;
  /** No interval at any x of the history. */
  open: number;
  /** By commit: runs without the tag `commit`. */
  noCommit: number;
}

/** Nights of a group, oldest first: readings that are like the newest one, on the same hosts unless `anyHost`. */
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
  /** GroupHistory with the level of each kept run over the same x. */
  adjusted: GroupHistory;
  /** The x that fewer than half of the runs have: in no point. */
  open: number[];
  /** Indices of runs with a level. */
  kept: readonly number[];
  /** By index of a run, the other x that it lacks. */
  missing: Map<number, number[]>;
}

/** A busy machine leaves now this x without an interval, now that one. Means over different x cannot be compared. */
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

/** Indices of lines by their key, in the order of the first of each; without a key they are left out. */
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

/** A suite is of the day of its first run. Runs of a day follow one another: with one string for all of them it is found at once. */
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

/** Lines mostly share the very list of their hosts. */
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
 * @param members indices of readings
 * @param missing by index of a reading, the x without an interval
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
