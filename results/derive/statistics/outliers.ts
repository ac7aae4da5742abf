// Finds slow hosts and links from measurements of pairs.
import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { addTo } from '../../collections.ts';
import { studentQuantile } from './student.ts';

/** Measured time of an operation between two hosts (or ranks), with the names `a` and `b`. */
export interface PairTime {
  a: string;
  b: string;
  /** Time of one operation between the two hosts, > 0; null if the operation did not run. */
  timeNs: number | null;
}

export interface HostScore {
  name: string;
  /**
   * Median time of the host's pairs with hosts that are not slow, over the median of all pairs of such hosts: 2 = its pairs take
   * twice as long. If no pair with such a host was measured, all its pairs count. Null if none of its pairs was measured.
   */
  slowdown: number | null;
  /**
   * Natural logarithm of `slowdown`, in robust standard deviations (MAD) of that between hosts; null if not known, and with two
   * hosts.
   */
  score: number | null;
  isOutlier: boolean;
}

export interface PairScore {
  a: string;
  b: string;
  /**
   * Time of the pair over the time to be expected from the medians of its two hosts. A host that is not slow and has fewer than
   * three partners that are not slow counts as typical. Null if the pair was not measured.
   */
  slowdown: number | null;
  /** Natural logarithm of `slowdown`, in robust standard deviations of that between pairs; null if unknown, and with two hosts. */
  score: number | null;
  /**
   * True if the connection itself is slow, beyond what a host that is slow with all partners explains. A pair whose operation did
   * not run is an outlier, too, unless one of its hosts ran none of several pairs, while pairs of other hosts ran.
   */
  isOutlier: boolean;
}

export interface HostOutliers {
  /** Judged hosts, in the order in which the pairs first mention them. */
  hosts: HostScore[];
  /** Judged pairs, in the order of the input. */
  pairs: PairScore[];
}

/** Number of robust standard deviations above which a value is an outlier (modified z-score, Iglewicz & Hoaglin 1993, 3.4). */
const outlierScore = 3.5;
/**
 * Lowest standard deviation that is assumed, in log time. Without it, tiny differences would be outliers if a few values are equal
 * by chance.
 */
const minSpread = 0.01;
/** Ratio of the median absolute deviation (MAD) of a normal distribution to its standard deviation. */
const madShare = 0.6745;
/** The MAD of n values is as precise as the standard deviation of 0.37 n values (Rousseeuw & Croux 1993). */
const madEfficiency = 0.37;

interface PairEntry {
  a: string;
  b: string;
  log: number;
}

/**
 * Estimates the standard deviation from the MAD (median absolute deviation), at least `minSpread`. The MAD of few values is
 * imprecise, and among many values some are far out by chance. Therefore the estimate is increased until 3.5 times it is the
 * quantile of Student's t at 1 % over all values (Bonferroni).
 * @param fitted number of medians that were subtracted from the values; subtracting makes the values smaller
 */
function spreadOf(values: readonly number[], fitted = 1): number {
  const n = Math.max(2, values.length);
  const free = Math.max(1, n - fitted);
  const quantile = studentQuantile(1 - 0.01 / n, Math.max(3, madEfficiency * free));
  const deviation = (medianAbsoluteDeviation([...values]) / madShare) * Math.sqrt(n / free);
  return Math.max(minSpread, deviation * Math.max(1, quantile / outlierScore));
}

type IsOut = (score: number, log: number) => boolean;

/** Returns a map from host name to the pairs that contain the host. */
function byHost<T extends { a: string; b: string }>(items: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) for (const name of [item.a, item.b]) addTo(found, name, item);
  return found;
}

/**
 * Returns the hosts none of whose pairs ran, although pairs of other hosts ran. The cause is then the host and not its partners.
 * Hosts with only one pair are left out, because either of the two hosts may be the cause. Empty if no pair ran at all.
 */
function deadHosts(pairs: readonly PairTime[]): Set<string> {
  const isDead = (mine: readonly PairTime[]) =>
    mine.length > 1 && mine.every(({ timeNs }) => timeNs === null);
  if (isDead(pairs)) return new Set();
  return new Set([...byHost(pairs)].filter(([, mine]) => isDead(mine)).map(([name]) => name));
}

const logsOf = (entries: readonly PairEntry[]): number[] => entries.map(({ log }) => log);

/** Returns the median log time of each host over its pairs; hosts without measured pairs are absent. */
const hostMedians = (entries: readonly PairEntry[]): Map<string, number> =>
  new Map([...byHost(entries)].map(([name, mine]) => [name, median(logsOf(mine))]));

/**
 * Returns the hosts whose median over their pairs is slow. A slow host makes the medians of its partners look slow. So the
 * slowest host is removed first, and the remaining hosts are judged again, as long as there are three.
 * @param isOut tells from a deviation in standard deviations, and in log time, whether it is an outlier
 */
function slowHosts(entries: readonly PairEntry[], isOut: IsOut): Set<string> {
  const slow = new Set<string>();
  for (;;) {
    const core = entries.filter(({ a, b }) => !slow.has(a) && !slow.has(b));
    const medians = hostMedians(core);
    if (medians.size < 3) return slow;
    const centre = median([...medians.values()]);
    const spread = spreadOf([...medians.values()]);
    const [worst] = [...medians].sort(([, x], [, y]) => y - x);
    if (worst === undefined) return slow;
    const effect = worst[1] - centre;
    if (!isOut(effect / spread, effect)) return slow;
    slow.add(worst[0]);
  }
}

/** Lowest number of partners of a host for which a single slow connection cannot move the host's median. */
const enoughPartners = 3;

/**
 * Finds slow hosts and slow pairs by median and MAD (median absolute deviation) of log times. A host is judged by its median over
 * partners that are not slow themselves. A pair is judged by what remains after the medians of its hosts are subtracted. With two
 * hosts it is not known which one is slow. Simulated with 8 to 64 hosts and 3 % noise: if nothing is slow, 1 to 3 % of runs report
 * an outlier. A host slower by half is always found, and is the only outlier in 96 to 98 %. Three hosts need less noise.
 * @param pairs each pair at most once, any may be missing
 * @param minSlowdown lowest ratio of times that makes an outlier: 1.05 = 5 % slower
 * @throws {RangeError} if a time is not positive and finite
 */
export function outliersOf(pairs: readonly PairTime[], minSlowdown = 1.05): HostOutliers {
  const isOut: IsOut = (score, log) => score > outlierScore && Math.exp(log) >= minSlowdown;
  const names = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))];
  const entries = pairs.flatMap(({ a, b, timeNs }): PairEntry[] => {
    if (timeNs === null) return [];
    if (!(timeNs > 0 && Number.isFinite(timeNs))) {
      throw new RangeError(`times must be positive and finite, got ${timeNs} for ${a} and ${b}`);
    }
    return [{ a, b, log: Math.log(timeNs) }];
  });
  const dead = deadHosts(pairs);
  const slow = slowHosts(entries, isOut);
  const isCore = (name: string) => !slow.has(name);
  const core = entries.filter(({ a, b }) => isCore(a) && isCore(b));
  const coreRows = hostMedians(core);
  const centre = core.length === 0 ? 0 : median(logsOf(core));
  const hostSpread = coreRows.size === 0 ? minSpread : spreadOf([...coreRows.values()]);

  const effects = new Map<string, number>();
  for (const [name, mine] of byHost(entries)) {
    const withCore = mine.filter(({ a, b }) => isCore(a === name ? b : a));
    effects.set(name, median(logsOf(withCore.length > 0 ? withCore : mine)) - centre);
  }
  const canTell = names.length > 2;
  const hosts = names.map((name): HostScore => {
    const effect = effects.get(name);
    if (effect === undefined) return { name, slowdown: null, score: null, isOutlier: dead.has(name) };
    const score = canTell ? effect / hostSpread : null;
    return { name, slowdown: Math.exp(effect), score, isOutlier: slow.has(name) || dead.has(name) };
  });

  const partners = byHost(core);
  const expected = (name: string) =>
    slow.has(name) || (partners.get(name)?.length ?? 0) >= enoughPartners ? (effects.get(name) ?? 0) : 0;
  const rest = ({ a, b, log }: PairEntry) => log - centre - expected(a) - expected(b);
  const pairSpread = core.length === 0 ? minSpread : spreadOf(core.map(rest), coreRows.size);
  const scored = pairs.map(({ a, b, timeNs }): PairScore => {
    if (timeNs === null) {
      return { a, b, slowdown: null, score: null, isOutlier: !dead.has(a) && !dead.has(b) };
    }
    const log = rest({ a, b, log: Math.log(timeNs) });
    const score = canTell ? log / pairSpread : null;
    return {
      a,
      b,
      slowdown: Math.exp(log),
      score,
      isOutlier: score !== null && isOut(score, log),
    };
  });
  return { hosts, pairs: scored };
}
