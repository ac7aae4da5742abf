import { changeOf } from '../judge/family.ts';
import { standsOut } from './exceedance.ts';
import { isCalm, type NightScatter, robustScatter, type ScanSplit, scanT, sortedPart } from './scan.ts';

/** A step of a series that counts as one. */
export interface SeriesStep {
  /** Index of the first night after it, and of the night whose figures made it known. */
  at: number;
  foundAt: number;
  /** It may as well have been any of these nights. */
  first: number;
  last: number;
  /** In log time: positive = slower. Estimated where the scan is largest, hence on the large side. */
  shift: number;
  p: number;
  rule: 'scan' | 'fast' | 'creep';
}

/** Parameters of the rules; tests/bench/truth-history.ts shows what they cost and find. */
export const changeRules = {
  /** Nights looked back on. */
  window: 50,
  /** Fewest nights before a change: of a new series, and after a change, when scatter is known from before. */
  left: 10,
  leftAgain: 3,
  /** The fewest nights must all be off by `each` standard deviations: two bad ones do not speak for a third. */
  scan: { right: 3, p: 1.5e-4, each: 1 },
  /**
   * Two nights are enough when both stand out by `each` standard deviations, and no night before stood out by `calm`; and
   * `seen` nights are known, else a second mode may not have shown itself yet.
   */
  fast: { right: 2, p: 2e-4, each: 2.2, calm: 4.5, seen: 20 },
  /** Nights looked back on for such nights as those after the change, and how unlikely their number must be by chance. */
  exceedance: { back: 120, p: 3e-5 },
  /** Every 7th night, last 14 against 15 nights a quarter of a year ago. */
  creep: { every: 7, recent: 14, from: 90, to: 76, p: 1e-3, shift: 0.02 },
  /** Smallest change worth telling, in log time: of ratios to an anchor of the same night, of times. */
  smallest: { ratio: Math.log(1.01), time: Math.log(1.02) },
} as const;

/**
 * Changes of a series of nights, as they would have been found night by night: what was found from the first n nights is
 * found from more of them, too. After a change the nights before it no longer count, but their scatter is remembered.
 * @param z log times (or log ratios), oldest first
 * @param smallest changeRules.smallest
 * @param skips windows that need no scan; only to show that they need none
 */
export function findChanges(z: ArrayLike<number>, smallest: number, skips = isCalm): SeriesStep[] {
  const changes: SeriesStep[] = [];
  let start = 0;
  let known: NightScatter | undefined;
  let levelled = z;
  for (let night = 0; night < z.length; night += 1) {
    const found = judge({ z, levelled, start, night }, known, smallest, skips);
    if (found === null) continue;
    const { split, rule } = found;
    const { at, first, last, shift, p, scatter } = split;
    changes.push({ at, foundAt: night, first, last, shift, p, rule });
    levelled = Array.from(levelled, (value, i) => (i < at ? value + shift : value));
    start = at;
    known = trusted(scatter);
  }
  return changes;
}

/** Scatter of before tells something of now, as much as 20 nights do at most. */
function trusted({ squares, degrees }: NightScatter): NightScatter {
  const share = Math.min(1, 20 / degrees);
  return { squares: squares * share, degrees: degrees * share };
}

/** A series as known after one of its nights. */
interface SeriesSoFar {
  z: ArrayLike<number>;
  /** The series without its known changes: all nights moved to the level after the last one. */
  levelled: ArrayLike<number>;
  /** First night after the last change. */
  start: number;
  /** The newest night. */
  night: number;
}

function judge(
  { z, levelled, start, night }: SeriesSoFar,
  known: NightScatter | undefined,
  smallest: number,
  skips: typeof isCalm,
): { split: ScanSplit; rule: SeriesStep['rule'] } | null {
  const { window, left, leftAgain, scan, fast, exceedance } = changeRules;
  const from = Math.max(start, night + 1 - window);
  const to = night + 1;
  const fewest = known === undefined ? left : leftAgain;
  const earliest = Math.max(0, to - exceedance.back);
  const counts = (split: ScanSplit | null, p: number): split is ScanSplit =>
    split !== null &&
    changeOf(split.shift, { p: split.p, mostP: p, smallest }) !== null &&
    standsOut(levelled, { from: earliest, at: split.at, to }, Math.sign(split.shift), exceedance.p);
  const found: { split: ScanSplit; rule: SeriesStep['rule'] }[] = [];
  if (
    to - from >= fewest + fast.right &&
    !skips(z, from, to, { left: fewest, right: fast.right }, smallest, known)
  ) {
    const slow = scanT(z, from, to, { left: fewest, right: scan.right }, known);
    if (counts(slow, scan.p) && (slow.at < to - scan.right || allOff(z, from, slow.at, to, scan.each)))
      found.push({ split: slow, rule: 'scan' });
    if (to - earliest >= fast.seen && allOff(z, from, to - fast.right, to, fast.each, fast.calm)) {
      const quick = scanT(z, from, to, { left: to - from - fast.right, right: fast.right }, known);
      if (counts(quick, fast.p)) found.push({ split: quick, rule: 'fast' });
    }
  }
  // After two bad nights the scan may have taken the night before them in, to have three.
  found.sort((a, b) => a.split.p - b.split.p);
  if (found[0] !== undefined) return found[0];
  const crept = creep(z, start, night);
  return crept === null ? null : { split: crept, rule: 'creep' };
}

/**
 * All nights from `at` on are off to the same side by `each` robust standard deviations of those before, of which none was
 * off to that side by `calm`.
 */
function allOff(
  z: ArrayLike<number>,
  from: number,
  at: number,
  to: number,
  each: number,
  calm = Infinity,
): boolean {
  const before = sortedPart(z, from, at);
  const centre = before[before.length >> 1] as number;
  const sd = robustScatter(z, from, at);
  const side = Math.sign((z[to - 1] as number) - centre);
  for (let i = at; i < to; i += 1) if (((z[i] as number) - centre) * side < each * sd) return false;
  return (((side > 0 ? before.at(-1) : before[0]) as number) - centre) * side < calm * sd;
}

/** Slow growth that no window sees: what no single night shows has no single first night. */
function creep(z: ArrayLike<number>, start: number, night: number): ScanSplit | null {
  const { every, recent, from, to, p, shift } = changeRules.creep;
  const old = night - from;
  if (old < start || old < 0 || (night + 1) % every !== 0) return null;
  const nights = [...range(z, old, night - to + 1), ...range(z, night + 1 - recent, night + 1)];
  const parts = { from: 0, at: nights.length - recent, to: nights.length };
  const split = scanT(nights, parts.from, parts.to, { left: parts.at, right: recent });
  if (split === null || changeOf(split.shift, { p: split.p, mostP: p, smallest: shift }) === null)
    return null;
  if (!standsOut(nights, parts, Math.sign(split.shift), p)) return null;
  return { ...split, at: night + 1 - recent, first: night - to + 1, last: night + 1 - recent };
}

const range = (z: ArrayLike<number>, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => z[from + i] as number);
