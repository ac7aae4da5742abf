import { crossings, type PairedTimes } from '../results/derive/crossover.ts';
import type { XWords } from './rows.ts';
import { cellAt, figureOf, type Group, type Series } from './series.ts';
import { emulatedAgainstHardware, formatRatio, formatTime, plural, seriesParts } from './wording.ts';

/** One x measured over both transports. */
export interface PairedPoint extends PairedTimes {
  /** 95 % half width of log(a/b), from both intervals; `null` when one of them has none. */
  logHalfWidth: number | null;
  winner: 'a' | 'b' | 'tie' | 'unknown';
}

/** Where the faster transport changes: at `x`, certainly so outside `low` to `high` (the grey zone). */
export interface Crossover {
  x: number;
  low: number;
  high: number;
  /** Which is faster above. */
  above: 'a' | 'b';
}

export interface Comparison {
  a: Series;
  b: Series;
  /** What both are drawn over. */
  x: XWords;
  points: PairedPoint[];
  crossovers: Crossover[];
  mixedMedia: boolean;
  /** There are other pairs beside this one, so sentences name both. */
  several?: boolean;
}

/**
 * Pairs worth a sentence: the transports of one run, and the same transport in different runs. Where a run fixes algorithms
 * and protocols, or has groups of ranks, only equal ones are paired; among those of one transport best.ts finds the fastest.
 */
export function comparisonsOf(group: Group): Comparison[] {
  const related = (a: Series, b: Series) => {
    if (a.member?.name !== b.member?.name) return false;
    if (a.run.id !== b.run.id) return a.transport === b.transport;
    const choice = seriesParts(a.transport).choice;
    const peers = group.series.filter(
      (s) => s.run.id === a.run.id && s.member === a.member && seriesParts(s.transport).choice === choice,
    );
    // Beyond three the number of pairs outgrows what anyone reads: then all are held against the first.
    return peers.includes(b) && (peers.length <= 3 || a === peers[0]);
  };
  return group.series.flatMap((a, i) =>
    group.series
      .slice(i + 1)
      .filter((b) => related(a, b))
      .map((b) => ({ ...compare(a, b, group), several: group.series.length > 2 })),
  );
}

/**
 * Times of two series at each x that both have. It is decided where the two 95 % intervals, added as independent
 * errors of the logarithm, leave the ratio on one side of 1; else it is a tie.
 */
export function compare(a: Series, b: Series, group: Group): Comparison {
  const points: PairedPoint[] = [];
  for (const slot of a.slots) {
    const fa = figureOf(slot.cell, group);
    const fb = figureOf(cellAt(b, slot.x), group);
    if (fa === null || fb === null) continue;
    const ha = logHalf(fa.interval);
    const hb = logHalf(fb.interval);
    const h = ha === null || hb === null ? null : Math.hypot(ha, hb);
    const d = Math.log(fa.value / fb.value);
    const winner = h === null ? 'unknown' : d < -h ? 'a' : d > h ? 'b' : 'tie';
    points.push({
      x: slot.x,
      aNs: fa.value,
      bNs: fb.value,
      logHalfWidth: h,
      aHalf: ha,
      bHalf: hb,
      winner,
    });
  }
  const mixedMedia = (a.medium === 'emulated') !== (b.medium === 'emulated');
  return { a, b, x: group.x, points, crossovers: crossoversOf(points), mixedMedia };
}

/** 95 % half width of the logarithm; `null` without an interval. */
export function logHalf(interval: { low: number; high: number } | null): number | null {
  return interval === null || interval.low <= 0 ? null : Math.log(interval.high / interval.low) / 2;
}

/**
 * A change of the faster one counts when it is decided on both sides; crossings of undecided curves are noise.
 * Where and how far it is open between the two decided points is worked out by results/derive.
 */
function crossoversOf(points: readonly PairedPoint[]): Crossover[] {
  const decided = points.filter((p) => p.winner === 'a' || p.winner === 'b');
  const found: Crossover[] = [];
  for (let i = 1; i < decided.length; i++) {
    const before = decided[i - 1];
    const after = decided[i];
    if (before === undefined || after === undefined || before.winner === after.winner) continue;
    const stretch = points.slice(points.indexOf(before), points.indexOf(after) + 1);
    const { crossings: roots } = crossings(stretch);
    const middle = roots[Math.floor(roots.length / 2)];
    found.push({
      x: middle?.x ?? after.x,
      low: roots[0]?.low ?? before.x,
      high: roots.at(-1)?.high ?? after.x,
      above: after.winner === 'a' ? 'a' : 'b',
    });
  }
  return found;
}

/** Slower over faster time at one point, with both times: "9.1x at 8 B (0.52 us against 4.71 us)". */
function advantage(c: Comparison, p: PairedPoint, micro: 'us' | 'µs', absolute: boolean): string {
  const [fast, slow] = p.aNs <= p.bNs ? [p.aNs, p.bNs] : [p.bNs, p.aNs];
  const who = c.crossovers.length > 0 ? `${p.aNs <= p.bNs ? c.a.name : c.b.name} ` : '';
  const times = absolute ? ` (${formatTime(fast, micro)} against ${formatTime(slow, micro)})` : '';
  return `${who}${formatRatio(slow / fast)} at ${c.x.text(p.x)}${times}`;
}

/**
 * Which is faster, where, and by how much, in one sentence without a full stop.
 * @param absolute adds the two times behind each ratio
 */
export function comparisonSentence(c: Comparison, micro: 'us' | 'µs' = 'us', absolute = false): string {
  const first = c.points[0];
  const last = c.points.at(-1);
  if (first === undefined || last === undefined) {
    return `${c.a.name} and ${c.b.name} have no ${c.x.noun} in common, so they are not compared`;
  }
  const ends = [...new Set([first, last])].map((p) => advantage(c, p, micro, absolute)).join(', ');
  const count = plural(c.points.length, c.x.noun);
  const wins = (who: string) => c.points.filter((p) => p.winner === who).length;
  const caveat = c.mixedMedia ? ` (${emulatedAgainstHardware})` : '';
  const than = (winner: Series) =>
    c.several === true ? ` than ${winner === c.a ? c.b.name : c.a.name}` : '';
  if (c.crossovers.length > 0) return `${regions(c)}: ${ends}${caveat}`;
  if (wins('unknown') === c.points.length) {
    const ahead = c.points.filter((p) => p.aNs < p.bNs).length;
    const [who, n] = ahead * 2 >= c.points.length ? [c.a, ahead] : [c.b, c.points.length - ahead];
    const where = n === c.points.length ? `every ${c.x.noun}` : `${n} of ${count}`;
    return `${who.name} has the smaller median${than(who)} at ${where} (no interval, so no verdict): ${ends}${caveat}`;
  }
  const [winner, side] = wins('a') >= wins('b') ? ([c.a, 'a'] as const) : ([c.b, 'b'] as const);
  const won = wins(side);
  if (won === 0) {
    return `${c.a.name} and ${c.b.name} show no difference at any ${c.x.noun}: ${ends}${caveat}`;
  }
  if (won === c.points.length) {
    return `${winner.name} is faster${than(winner)} at every ${c.x.noun}: ${ends}${caveat}`;
  }
  const open = [
    wins('tie') > 0 ? `no difference seen at ${wins('tie')}` : '',
    wins('unknown') > 0 ? `no verdict at ${wins('unknown')} (no interval)` : '',
  ].filter((p) => p !== '');
  return `${winner.name} is faster${than(winner)} at ${won} of ${count}, ${open.join(', ')}: ${ends}${caveat}`;
}

/** "socket is faster below 190 KiB, sisci above 205 KiB, tie between". */
function regions(c: Comparison): string {
  const name = (who: 'a' | 'b') => (who === 'a' ? c.a.name : c.b.name);
  const firstCross = c.crossovers[0];
  if (firstCross === undefined) return '';
  const { about } = c.x;
  const grey = c.crossovers.some((x) => about(x.low) !== about(x.high));
  const other = firstCross.above === 'a' ? 'b' : 'a';
  const parts = [`${name(other)} is faster below ${about(firstCross.low)}`];
  c.crossovers.forEach((x, i) => {
    const next = c.crossovers[i + 1];
    parts.push(
      next === undefined
        ? `${name(x.above)} above ${about(x.high)}`
        : `${name(x.above)} from ${about(x.high)} to ${about(next.low)}`,
    );
  });
  return parts.join(', ') + (grey ? ', tie between' : '');
}
