// Results of measuring each pair of hosts alone, and which of them are slow.
import { median } from 'simple-statistics';

/** A host whose hops (paths to other hosts) are all slow, or one slow hop. */
export interface SlowHop {
  /** Name of the slow host, or names of both hosts of the slow hop. */
  names: readonly string[];
  /** Time of the slow hop, or of the fastest hop of the slow host, divided by the median time of all other hops; at least 1.25. */
  ratio: number;
}

/** Results of measuring each pair of hosts alone. */
export interface HopFacts {
  /** Number of pairs of hosts, those whose measurement failed included. */
  hops: number;
  /** Slow hosts and slow hops, the slowest first. */
  slow: readonly SlowHop[];
  /** Names of the two hosts whose hop (path between them) took longest for a large message; empty if none was measured with one. */
  slowest: readonly string[];
  /**
   * Names of two hosts whose hop has the median time of a large message, among hops that are not slow. If all are: among those that
   * are slow with small messages only, or else among those between hosts that are not slow, or else among all. Null if none was
   * measured with a large message.
   */
  typical: readonly string[] | null;
}

/**
 * Times in ns of messages between hosts `a` and `b`: `timeNs` of a large message, back to back; `fastNs` of a small one (5th
 * percentile, or the minimum if there are few samples). Null = not measured.
 */
export interface HopTime {
  a: string;
  b: string;
  timeNs: number | null;
  fastNs: number | null;
}

/**
 * Ratio to the other hops' median time at which a host or hop becomes a suspect. A low ratio is enough, because a suspect becomes a
 * cause only if an experiment without it is faster.
 */
const minRatio = 1.25;
/** A host whose ratio is `minRatio` or more counts as slow if the ratio is also at least this share of that of the slowest hop. */
const hostShare = 0.7;

/**
 * Finds the slow hosts; if there are none, the single slow hops. Times of large and of small messages are judged separately; a host
 * or hop that is slow in both has the higher ratio.
 */
export function hopFactsOf(hops: readonly HopTime[]): HopFacts {
  const slowWith = (key: 'timeNs' | 'fastNs') =>
    slowBy(hops.flatMap(({ a, b, [key]: ns }) => (ns === null ? [] : [{ a, b, ns }])));
  const slowWithLarge = slowWith('timeNs');
  const found = new Map<string, SlowHop>();
  for (const one of [...slowWithLarge, ...slowWith('fastNs')]) {
    const name = one.names.join('\0');
    if (one.ratio > (found.get(name)?.ratio ?? 0)) found.set(name, one);
  }
  const slow = [...found.values()].sort((a, b) => b.ratio - a.ratio);
  const slowHosts = slow.filter(({ names }) => names.length === 1);
  const isOneOf = (list: readonly SlowHop[], { a, b }: HopTime) =>
    list.some(({ names }) => names.every((name) => name === a || name === b));
  const byTime = hops
    .filter(({ timeNs }) => timeNs !== null)
    .toSorted((one, other) => (one.timeNs ?? 0) - (other.timeNs ?? 0));
  // On a busy machine the small messages of healthy hops may differ so much that each hop is slow or has a slow host.
  const usual =
    [slow, [...slowHosts, ...slowWithLarge], slowHosts, []]
      .map((excluded) => byTime.filter((hop) => !isOneOf(excluded, hop)))
      .find((left) => left.length > 0) ?? [];
  const [slowest, typical] = [byTime.at(-1), usual[Math.floor((usual.length - 1) / 2)]];
  return {
    ...{ hops: hops.length, slow },
    slowest: slowest === undefined ? [] : [slowest.a, slowest.b],
    typical: typical === undefined ? null : [typical.a, typical.b],
  };
}

interface Hop {
  a: string;
  b: string;
  ns: number;
}

function slowBy(hops: readonly Hop[]): SlowHop[] {
  const names = [...new Set(hops.flatMap(({ a, b }) => [a, b]))];
  /**
   * Shortest time of the selected hops divided by the median time of all other hops. For a slow host even the shortest is long. 1
   * if no hops or all hops are selected.
   * @param isOwn returns true for the selected hops: one hop, or all hops of one host
   */
  const ratioOf = (isOwn: (hop: Hop) => boolean): number => {
    const [own, others] = [hops.filter(isOwn), hops.filter((hop) => !isOwn(hop))];
    if (own.length === 0 || others.length === 0) return 1;
    return Math.min(...own.map(({ ns }) => ns)) / median(others.map(({ ns }) => ns));
  };
  const pairs = hops.map((one) => ({ names: [one.a, one.b], ratio: ratioOf((hop) => hop === one) }));
  const worst = Math.max(1, ...pairs.map(({ ratio }) => ratio));
  const slowHosts = names
    .map((name) => ({ names: [name], ratio: ratioOf(({ a, b }) => a === name || b === name) }))
    .filter(({ ratio }) => ratio >= Math.max(minRatio, hostShare * worst));
  return slowHosts.length > 0 ? slowHosts : pairs.filter(({ ratio }) => ratio >= minRatio);
}
