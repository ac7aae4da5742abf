// Which host or link is slow, from measurements of pairs.
import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { studentQuantile } from './student.ts';

/** Two hosts, measured with each other. */
export interface PairTime {
  a: string;
  b: string;
  /** Time of one operation, > 0; `null` = it did not run. */
  timeNs: number | null;
}

export interface HostScore {
  name: string;
  /** Its typical pair over the typical pair of all: 2 = takes twice as long; `null` = none of its pairs ran. */
  slowdown: number | null;
  /** Robust z-score of that; `null` where it cannot be told. */
  score: number | null;
  isOutlier: boolean;
}

export interface PairScore {
  a: string;
  b: string;
  /** Over what its two hosts make expect; `null` = did not run. */
  slowdown: number | null;
  score: number | null;
  /** Slow by itself: not where one of its hosts is slow with all. */
  isOutlier: boolean;
}

export interface HostOutliers {
  /** In order of first mention. */
  hosts: HostScore[];
  /** In the order given. */
  pairs: PairScore[];
}

/** Modified z-score from which a value counts as an outlier: Iglewicz & Hoaglin 1993, 3.4. */
const outlierScore = 3.5;
/** Log time. Few values that happen to be alike must not make every difference an outlier. */
const leastSpread = 0.01;
/** MAD of a normal distribution is this part of its standard deviation. */
const madShare = 0.6745;
/** The MAD of n values tells as much as the standard deviation of 0.37 n (Rousseeuw & Croux 1993). */
const madEfficiency = 0.37;

interface PairEntry {
  a: string;
  b: string;
  log: number;
}

/**
 * Standard deviation that the MAD stands for. Few values tell it badly, and of many some lie far out by chance: it is
 * raised until 3.5 of it are the quantile of Student's t at 1 % over all of them (Bonferroni).
 * @param fitted medians that were taken off the values, which makes them smaller than they are
 */
function spreadOf(values: readonly number[], fitted = 1): number {
  const n = Math.max(2, values.length);
  const free = Math.max(1, n - fitted);
  const quantile = studentQuantile(1 - 0.01 / n, Math.max(3, madEfficiency * free));
  const deviation = (medianAbsoluteDeviation([...values]) / madShare) * Math.sqrt(n / free);
  return Math.max(leastSpread, deviation * Math.max(1, quantile / outlierScore));
}

type IsOut = (score: number, log: number) => boolean;

/** What each host has part in. */
function byHost<T extends { a: string; b: string }>(items: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    for (const name of [item.a, item.b]) {
      const mine = found.get(name);
      if (mine === undefined) found.set(name, [item]);
      else mine.push(item);
    }
  }
  return found;
}

/** Hosts none of whose pairs ran, where others did: their partners are not to blame. */
function deadHosts(pairs: readonly PairTime[]): Set<string> {
  const isDead = (mine: readonly PairTime[]) =>
    mine.length > 1 && mine.every(({ timeNs }) => timeNs === null);
  if (isDead(pairs)) return new Set();
  return new Set([...byHost(pairs)].filter(([, mine]) => isDead(mine)).map(([name]) => name));
}

const logsOf = (entries: readonly PairEntry[]): number[] => entries.map(({ log }) => log);

/** Median log time of each host with its partners; absent where it has none. */
const rows = (entries: readonly PairEntry[]): Map<string, number> =>
  new Map([...byHost(entries)].map(([name, mine]) => [name, median(logsOf(mine))]));

/**
 * Hosts whose pairs are all slow, one at a time, the slowest first: as long as it is among the others, its pairs make
 * their rows look slow, too.
 */
function slowHosts(entries: readonly PairEntry[], isOut: IsOut): Set<string> {
  const slow = new Set<string>();
  for (;;) {
    const core = entries.filter(({ a, b }) => !slow.has(a) && !slow.has(b));
    const medians = rows(core);
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

/** The fewest partners whose median does not follow a single slow link. */
const enoughPartners = 3;

/**
 * Scores of hosts and pairs by median and MAD of log times. A host is judged by its median over partners that are not
 * slow themselves, a pair by what is left when the medians of its hosts are taken off. With two hosts nothing can be
 * told apart. Simulated with 8 to 64 hosts and 3 % noise: where nothing is slow something is named in 1 to 3 % of runs; a
 * host that is slower by half is found in all, and named alone in 96 to 98 %. Three hosts need less noise than that.
 * @param pairs each pair at most once, any may be missing
 * @param leastSlowdown nobody looks for what is slower by less
 * @throws {RangeError} a time that is not positive and finite
 */
export function outliersOf(pairs: readonly PairTime[], leastSlowdown = 1.05): HostOutliers {
  const isOut: IsOut = (score, log) => score > outlierScore && Math.exp(log) >= leastSlowdown;
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
  const coreRows = rows(core);
  const centre = core.length === 0 ? 0 : median(logsOf(core));
  const hostSpread = coreRows.size === 0 ? leastSpread : spreadOf([...coreRows.values()]);

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
  const pairSpread = core.length === 0 ? leastSpread : spreadOf(core.map(rest), coreRows.size);
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
