import { studentQuantile } from '../derive/student.ts';
import type { HistoryFigure, HistoryLine } from '../schema/index.ts';

/** What one run measured of a group. */
export interface Reading {
  head: Omit<HistoryLine, 'figures'>;
  figure: HistoryFigure;
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
  const newest = readings.findLast(({ head }) => head.suite?.arm !== 'anchor') ?? readings.at(-1);
  if (newest === undefined) return { nights: [], leftOut: { unlike: 0, otherHosts: 0 } };
  const hosts = newest.head.hosts.join('\n');
  const alike = readings.filter(
    ({ head, figure }) => figure.like === newest.figure.like && head.imported === newest.head.imported,
  );
  const used = anyHost ? alike : alike.filter(({ head }) => head.hosts.join('\n') === hosts);
  const byNight = new Map<string, Reading[]>();
  const suites = new Map<string, string>();
  for (const reading of used) {
    const { at, suite } = reading.head;
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
  const tonight = all.filter(({ head }) => head.suite?.arm !== 'anchor');
  if (tonight.length === 0) return [];
  const anchors = all.filter(({ head }) => head.suite?.arm === 'anchor');
  const time = levelOf(valuesOf(tonight), tonight);
  const anchor = anchors.length === 0 ? null : levelOf(valuesOf(anchors), anchors);
  return [
    {
      night,
      time,
      anchor,
      ratio: anchor === null ? null : ratioOf(valuesOf(tonight), valuesOf(anchors), time, anchor),
      runs: tonight.map(({ head }) => ({ id: head.id, folder: head.folder })),
      marks: marksOf(tonight),
    },
  ];
}

const valuesOf = (readings: readonly Reading[]): number[] =>
  readings.flatMap(({ figure }) => figure.launches);

function levelOf(launches: readonly number[], readings: readonly Reading[]): Level {
  if (launches.length === 0)
    return { log: mean(readings.map(({ figure }) => figure.logNs)), interval: null, launches: 0 };
  const log = mean(launches);
  const r = launches.length;
  if (r < 2) return { log, interval: null, launches: r };
  const half = studentQuantile975(r - 1) * Math.sqrt(variance(launches) / r);
  return { log, interval: { low: log - half, high: log + half }, launches: r };
}

/** Of two arms; their variances are pooled, as launches of one night scatter alike. */
function ratioOf(tonight: readonly number[], anchors: readonly number[], time: Level, anchor: Level): Level {
  const log = time.log - anchor.log;
  const [a, b] = [tonight.length, anchors.length];
  const launches = Math.min(a, b);
  if (launches < 2) return { log, interval: null, launches };
  const pooled = ((a - 1) * variance(tonight) + (b - 1) * variance(anchors)) / (a + b - 2);
  const half = studentQuantile975(a + b - 2) * Math.sqrt(pooled * (1 / a + 1 / b));
  return { log, interval: { low: log - half, high: log + half }, launches };
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
function variance(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (values.length - 1);
}

/** Found by bisection: kept, since nights mostly have the same number of launches. */
const quantiles = new Map<number, number>();
function studentQuantile975(degrees: number): number {
  const known = quantiles.get(degrees) ?? studentQuantile(0.975, degrees);
  quantiles.set(degrees, known);
  return known;
}

function marksOf(readings: readonly Reading[]): string[] {
  const marks = readings.flatMap(({ head, figure }) => [
    ...(head.imported === true ? ['imported'] : []),
    ...(head.state === 'complete' ? [] : [head.state === 'running' ? 'no end' : head.state]),
    ...(figure.flags ?? []),
  ]);
  return [...new Set(marks)];
}
