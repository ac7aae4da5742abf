import { changeOf } from '../judge/family.ts';
import { standsOut } from './exceedance.ts';
import {
  addScatter,
  isCalm,
  type NightScatter,
  neighbourProducts,
  noScatter,
  robustScatter,
  type ScanSplit,
  scanT,
  sortedPart,
} from './scan.ts';

/** A change of a time between two nights, found by one of the rules in `changeRules`. */
export interface SeriesStep {
  /**
   * Index of the first night at the new level. `foundAt`: index of the first night at which enough nights were known to detect the
   * change.
   */
  at: number;
  foundAt: number;
  /** First and last night (indices) that could also be the first at the new level, with nearly the same likelihood. */
  first: number;
  last: number;
  /**
   * Size of the change in log time; above 0 is slower. On average it is a little too large, since the largest of many possible
   * changes was chosen.
   */
  shift: number;
  /** Two-sided p-value of the change, not corrected for the number of tested divisions. `rule`: the rule that found it. */
  p: number;
  rule: 'scan' | 'fast' | 'creep';
}

/**
 * The verdict "same" requires that a change of this share (0.1 = 10 %) would have been detected. The gate of a suite has an equal
 * requirement.
 */
export const maxUnseenShare = 0.1;

/** Limits for the rules that find changes between nights; tests/bench/truth-history.ts measures how often each rule is wrong. */
export const changeRules = {
  /** Number of newest nights among which changes are searched. */
  window: 50,
  /**
   * Lowest number of nights before a change, for a series without an earlier change. `leftAgain`: after an earlier change, because
   * the scatter of nights is then known.
   */
  left: 10,
  leftAgain: 3,
  /**
   * Rule for a change that at least `right` nights have followed. `p` is the highest p-value of a change. If exactly `right` nights
   * have followed, each of them must also differ from the median of the earlier nights by `each` standard deviations, because two
   * outliers do not prove that a third night changed.
   */
  scan: { right: 3, p: 2.5e-4, each: 1 },
  /**
   * Rule for a change that exactly two nights (`right`) have followed. Both must differ from the median of the earlier nights by
   * `each` standard deviations or more, and no earlier night may differ from it to the same side by `calm` or more. `p` is the
   * highest p-value of a change. At least `seen` nights must be known, because a rare second state of the machine may not have
   * appeared yet.
   */
  fast: { right: 2, p: 2e-4, each: 2.2, calm: 4.5, seen: 20 },
  /**
   * Limits of the check standsOut(), which asks if earlier nights had times as extreme as the nights after the change. `back` is
   * the number of newest nights that are searched, those after the change included. The change counts only if so few earlier nights
   * are that extreme that chance explains it with a probability of at most `p`.
   */
  exceedance: { back: 120, p: 3e-5 },
  /**
   * Rule for slow growth, tested at every 7th night (`every`): the last 14 nights (`recent`) against the 15 nights from 90 (`from`)
   * to 76 (`to`) nights before the newest one. `p` is the highest p-value of a growth, `shift` its lowest size in log time.
   */
  creep: { every: 7, recent: 14, from: 90, to: 76, p: 1e-3, shift: 0.02 },
  /**
   * Smallest change that is reported, in log time. `ratio`: for times divided by those of a reference build of the same night;
   * `time`: for times alone.
   */
  smallest: { ratio: Math.log(1.01), time: Math.log(1.02) },
} as const;

/** Lowest number of nights (or runs, or commits) in a history from which a change can be detected. */
export const minHistoryPoints = changeRules.left + changeRules.scan.right;

/**
 * Finds the changes in a series of nights, going through the nights one after the other, so that further nights never remove a
 * change. Nights before a change are not searched again. They only show how much nights scatter and, shifted to the new level,
 * whether earlier nights were as extreme as those after a later change.
 * @param z log times (or log ratios), oldest first
 * @param smallest smallest change that is reported, in log time (changeRules.smallest)
 * @param skips tells in which windows no change is possible, to save time; replaced only by tests
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
    known = limitDegrees(addScatter(known ?? noScatter, scatter));
  }
  return changes;
}

/** Returns the scatter of earlier nights with at most 20 degrees of freedom, so that later nights still have weight. */
function limitDegrees({ squares, degrees, products, means }: NightScatter): NightScatter {
  const share = Math.min(1, 20 / degrees);
  return {
    squares: squares * share,
    degrees: degrees * share,
    products: products * share,
    means: means * share,
  };
}

/** A history as it was known at one of its nights (or commits, or runs). Later elements of the arrays are not used. */
interface SeriesSoFar {
  z: ArrayLike<number>;
  /** Log times of all nights, shifted to the level after the last change as if no change had happened. */
  levelled: ArrayLike<number>;
  /** Index of the first night at or after the last known change; 0 if there is none. */
  start: number;
  /** Index of the newest night that is known. */
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
    changeOf(split.shift, { p: split.p, maxP: p, smallest }) !== null &&
    standsOut(levelled, { from: earliest, at: split.at, to }, Math.sign(split.shift), exceedance.p);
  const found: { split: ScanSplit; rule: SeriesStep['rule'] }[] = [];
  if (
    to - from >= fewest + fast.right &&
    !skips(z, from, to, { left: fewest, right: fast.right }, smallest, known)
  ) {
    const alike = addScatter(
      known ?? noScatter,
      scatterBetween(z, Math.max(start, from - alikeNights), from),
    );
    const slow = scanT(z, from, to, { left: fewest, right: scan.right, alike }, known);
    if (counts(slow, scan.p) && (slow.at < to - scan.right || areAllBeyond(z, from, slow.at, to, scan.each)))
      found.push({ split: slow, rule: 'scan' });
    if (to - earliest >= fast.seen && areAllBeyond(z, from, to - fast.right, to, fast.each, fast.calm)) {
      const left = to - from - fast.right;
      const quick = scanT(z, from, to, { left, right: fast.right, alike }, known);
      if (counts(quick, fast.p)) found.push({ split: quick, rule: 'fast' });
    }
  }
  // After two bad nights the scan may include the night before them to have three, so the smallest p wins.
  found.sort((a, b) => a.split.p - b.split.p);
  if (found[0] !== undefined) return found[0];
  const crept = findCreep(z, start, night);
  return crept === null ? null : { split: crept, rule: 'creep' };
}

/**
 * True if all nights from `at` on differ to the same side from the median of the earlier nights by `each` robust standard
 * deviations, and no earlier night differs to that side by `calm`.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 * @param from first of the earlier nights; `to` is the end of all nights, exclusive
 * @param calm infinite = earlier nights may differ by any amount
 */
function areAllBeyond(
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

/**
 * Tests at night `night` for slow growth (`changeRules.creep`). No single night shows it, so the night of its start is not known:
 * `at` is the first of the recent nights. Null if there is none, at nights between the tests, and with too few nights since the
 * last change.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 * @param start first night after the last change; earlier nights are not used
 */
function findCreep(z: ArrayLike<number>, start: number, night: number): ScanSplit | null {
  const { every, recent, from, to, p, shift } = changeRules.creep;
  const old = night - from;
  if (old < start || old < 0 || (night + 1) % every !== 0) return null;
  const nights = [...range(z, old, night - to + 1), ...range(z, night + 1 - recent, night + 1)];
  const parts = { from: 0, at: nights.length - recent, to: nights.length };
  const alike = scatterBetween(z, night - to + 1, night + 1 - recent);
  const split = scanT(nights, parts.from, parts.to, { left: parts.at, right: recent, alike });
  if (split === null || changeOf(split.shift, { p: split.p, maxP: p, smallest: shift }) === null) return null;
  if (!standsOut(nights, parts, Math.sign(split.shift), p)) return null;
  return { ...split, at: night + 1 - recent, first: night - to + 1, last: night + 1 - recent };
}

/** Number of nights before the searched ones from which the autocorrelation of neighbouring nights is estimated. */
const alikeNights = 75;
/** The mean of each block of this many nights is subtracted, so that slow growth does not look like autocorrelation. */
const blockNights = 15;

/**
 * Returns the sums for variance and autocorrelation over whole blocks of 15 consecutive nights, from index `from` to before `to`.
 * Deviations are from each block's mean. Nights after the last whole block are ignored; with fewer than 15 nights the result is
 * `noScatter`.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 */
function scatterBetween(z: ArrayLike<number>, from: number, to: number): NightScatter {
  let all = noScatter;
  for (let at = from; at + blockNights <= to; at += blockNights) {
    const nights = range(z, at, at + blockNights);
    const mean = nights.reduce((sum, x) => sum + x, 0) / blockNights;
    const squares = nights.reduce((sum, x) => sum + (x - mean) ** 2, 0);
    const products = neighbourProducts(z, at, at + blockNights, mean, Infinity);
    all = addScatter(all, { squares, degrees: blockNights - 1, products, means: 1 });
  }
  return all;
}

const range = (z: ArrayLike<number>, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => z[from + i] as number);
