import { studentQuantile } from '../derive/student.ts';
import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import type { Figure } from './records.ts';

/** What one run measured of a group. */
export interface Reading {
  line: HistoryLine;
  column: HistoryColumn;
  /** Of the column within the line. */
  place: number;
  figure: Figure;
}

/** Mean of log times with a 95 % interval; null where fewer than two launches were told. */
export interface Level {
  log: number;
  interval: { low: number; high: number } | null;
  launches: number;
}

/** All that was measured of a group in one night: one run, or several (turns of a suite, a second measurement). */
export interface Night {
  /** UTC date: "2026-11-21"; of a suite that of its first run. */
  night: string;
  time: Level;
  /** The anchor's, measured in turns with it; null without one. */
  anchor: Level | null;
  /** Log of tonight's time over that of the anchor. */
  ratio: Level | null;
  /** Runs of tonight's arm, oldest first. */
  runs: { id: string; folder: string }[];
  /** imported, interrupted, failed, and flags of its cells. */
  marks: string[];
}

/** Nights that cannot be held against the newest one. */
export interface LeftOut {
  /** Other sizes, or another method. */
  unlike: number;
  otherHosts: number;
}

/**
 * Nights of a group, oldest first: readings that are like the newest one, on the same hosts unless `anyHost`.
 * @param readings of one group and trial, oldest first
 */
export function nightsOf(
  readings: readonly Reading[],
  anyHost: boolean,
): { nights: Night[]; leftOut: LeftOut } {
  const newest = readings.findLast(({ line }) => line.suite?.arm !== 'anchor') ?? readings.at(-1);
  if (newest === undefined) return { nights: [], leftOut: { unlike: 0, otherHosts: 0 } };
  const { hosts, imported } = newest.line;
  const { like } = newest.column;
  const alike = readings.filter(({ line, column }) => column.like === like && line.imported === imported);
  const here = hosts.join('\n');
  const used = anyHost ? alike : alike.filter(({ line }) => line.hosts.join('\n') === here);
  const byNight = new Map<string, Reading[]>();
  const suites = new Map<string, string>();
  for (const reading of used) {
    const { at, suite } = reading.line;
    const date = at.slice(0, 10);
    const night = suite === undefined ? date : (suites.get(suite.id) ?? date);
    if (suite !== undefined) suites.set(suite.id, night);
    const there = byNight.get(night);
    if (there === undefined) byNight.set(night, [reading]);
    else there.push(reading);
  }
  const nights = [...byNight].flatMap(([night, all]) => nightOf(night, all));
  const leftOut = { unlike: readings.length - alike.length, otherHosts: alike.length - used.length };
  return { nights, leftOut };
}

function nightOf(night: string, all: readonly Reading[]): Night[] {
  const tonight = all.filter(({ line }) => line.suite?.arm !== 'anchor');
  if (tonight.length === 0) return [];
  const anchors = all.filter(({ line }) => line.suite?.arm === 'anchor');
  const own = pool(tonight);
  const theirs = anchors.length === 0 ? null : pool(anchors);
  return [
    {
      night,
      time: levelOf(own),
      anchor: theirs === null ? null : levelOf(theirs),
      ratio: theirs === null ? null : ratioOf(own, theirs),
      runs: tonight.map(({ line }) => ({ id: line.id, folder: line.folder })),
      marks: marksOf(tonight),
    },
  ];
}

/** Launches of several runs as if they were of one: mean, and squares around it. */
interface Pool {
  launches: number;
  log: number;
  squares: number;
}

function pool(readings: readonly Reading[]): Pool {
  const figures = readings.map(({ figure }) => figure);
  const launches = figures.reduce((sum, one) => sum + one.launches, 0);
  // Of imported runs nobody knows how many launches they had.
  const weights = figures.map((one) => (launches === 0 ? 1 : one.launches));
  const total = weights.reduce((sum, x) => sum + x, 0);
  const log = figures.reduce((sum, one, i) => sum + one.log * (weights[i] as number), 0) / total;
  const squares = figures.reduce(
    (sum, one) => sum + Math.max(0, one.launches - 1) * one.sd ** 2 + one.launches * (one.log - log) ** 2,
    0,
  );
  return { launches, log, squares };
}

function levelOf({ launches: r, log, squares }: Pool): Level {
  if (r < 2) return { log, interval: null, launches: r };
  const half = studentQuantile975(r - 1) * Math.sqrt(squares / (r - 1) / r);
  return { log, interval: { low: log - half, high: log + half }, launches: r };
}

/** Of two arms; their variances are pooled, as launches of one night scatter alike. */
function ratioOf(tonight: Pool, anchor: Pool): Level {
  const log = tonight.log - anchor.log;
  const [a, b] = [tonight.launches, anchor.launches];
  const launches = Math.min(a, b);
  if (launches < 2) return { log, interval: null, launches };
  const pooled = (tonight.squares + anchor.squares) / (a + b - 2);
  const half = studentQuantile975(a + b - 2) * Math.sqrt(pooled * (1 / a + 1 / b));
  return { log, interval: { low: log - half, high: log + half }, launches };
}

/** Found by bisection: kept, since nights mostly have the same number of launches. */
const quantiles = new Map<number, number>();
function studentQuantile975(degrees: number): number {
  const known = quantiles.get(degrees) ?? studentQuantile(0.975, degrees);
  quantiles.set(degrees, known);
  return known;
}

function marksOf(readings: readonly Reading[]): string[] {
  const marks = new Set<string>();
  for (const { line, place } of readings) {
    if (line.imported === true) marks.add('imported');
    if (line.state !== 'complete') marks.add(line.state === 'running' ? 'no end' : line.state);
    if (line.flags === undefined) continue;
    for (const [flag, places] of Object.entries(line.flags)) if (places.includes(place)) marks.add(flag);
  }
  return [...marks];
}
