// Results of a run of pairs: figures of every pair and ring, and the hosts or pairs that are slower than the others.
import { median } from 'simple-statistics';
import { addTo } from '../../collections.ts';
import { type CellRecord, derivedOf, measuredOf, type OkCell, type RunPlan } from '../../schema/index.ts';
import { joinWords, plural } from '../../units.ts';
import { type HostOutliers, outliersOf } from '../statistics/outliers.ts';

/**
 * Latency and bandwidth between two ranks with the names `a` and `b`, measured as a pair. A value is null if it was not measured.
 * `reason`: why `GBps` is null, as far as known; null if it was measured.
 */
export interface PairFigure {
  a: string;
  b: string;
  /** Time in ns of one small operation that both ranks start together (isolated latency). */
  latencyNs: number | null;
  /**
   * 5th percentile of the latency samples, or their minimum if there are too few for a percentile, ns. Unlike the median, it hardly
   * depends on how busy the CPU is.
   */
  fastNs: number | null;
  /** Time of one large operation in ns, measured back to back. `GBps` is its bus bandwidth in GB/s. */
  timeNs: number | null;
  GBps: number | null;
  reason: string | null;
}

/**
 * Bus bandwidth in GB/s of a ring of `ranks` ranks; null if not measured, `reason` then says why. `last` is the name of the ring's
 * last rank, which smaller rings do not contain.
 */
export interface RingFigure {
  ranks: number;
  last: string;
  GBps: number | null;
  reason: string | null;
}

/**
 * A host or pair that is slower than the others. `value`: bandwidth or latency of the pair, or of the host the median over its
 * pairs with hosts that are not slow (all its pairs if there are none). `typical`: in the same unit, the median of all pairs that
 * are not slow and have no slow host; null if there is none.
 */
export interface PairFinding {
  kind: 'host' | 'pair';
  measure: 'bandwidth' | 'latency';
  /** Name of the slow host, or both names of the slow pair. */
  names: string[];
  /** Bandwidth in GB/s or latency in ns, as `measure` says; null if the operation did not run. */
  value: number | null;
  typical: number | null;
}

/**
 * The number of ranks from which a ring's bandwidth is lower. `last`: name of the rank that was added at this number; null if the
 * loss is gradual. `fromGBps`: median GB/s of the smaller rings; if the ring with `ranks` ranks did not run, GB/s of the ring
 * before it.
 */
export interface RingDrop {
  ranks: number;
  last: string | null;
  fromGBps: number;
  /** Median GB/s of the rings with `ranks` or more ranks; null if the ring with `ranks` ranks did not run. */
  toGBps: number | null;
}

/** Result of `collbench pairs` for one transport: bandwidths of all pairs and rings, and which hosts or pairs are slow. */
export interface PairsOverview {
  transport: string;
  /** Says whether `names` stand for hosts (with one rank each) or for single ranks. The index in `names` is the rank. */
  members: 'host' | 'rank';
  names: string[];
  pairs: PairFigure[];
  /** One ring for each number of ranks that was planned. */
  rings: RingFigure[];
  /** Slow hosts and pairs: those in bandwidth, then those in latency. */
  findings: PairFinding[];
  /** Null if the bandwidth of rings does not drop, or if host names share a machine. */
  ringDrop: RingDrop | null;
  /** Median bandwidth over the pairs that ran, GB/s; null if no pair ran. */
  typicalGBps: number | null;
  /** Median latency over the pairs that have one, ns; null if none has. */
  typicalLatencyNs: number | null;
  /**
   * True if the measurements can show which host or rank is slow. That needs a pair that ran, and three of `names`; all that are in
   * one list of `sameMachine` count once.
   */
  hasVerdict: boolean;
  /**
   * For each physical machine that has several host names in the run, the names of its ranks as in `names`; empty without such a
   * machine.
   */
  sameMachine: string[][];
}

/** Text stored as reason for pairs and rings that were not measured because the run was interrupted. */
export const notReached = 'it was not reached';
/**
 * A host or pair must be slower by at least this factor to be reported as slow in bandwidth: compared with what the other pairs
 * lead to expect, and with the median of pairs that are not slow. It must also be an outlier (outliersOf()). Hosts and pairs
 * that did not run are reported without these comparisons.
 */
const minSlowdown = 1.1;
/**
 * A host or pair is reported as slow in latency from this multiple of the usual latency. It is higher than for bandwidth, because
 * the latency of small messages also depends on the path through switches.
 */
const minLatencySlowdown = 1.5;
/**
 * A drop in the bandwidth of rings is reported if the larger rings have lost at least this share of the smaller rings' bandwidth.
 */
const minDrop = 0.2;
/**
 * A rank that joins a ring is named as the cause if the step at which it joins is at least this share of the whole loss of
 * bandwidth, in logarithms.
 */
const abruptShare = 0.7;

const medianOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : median([...values]);
const there = (value: number | null): value is number => value !== null;
const pairKey = ({ a, b }: { a: string; b: string }) => `${a}\0${b}`;

/**
 * Returns the results of `collbench pairs` as one overview per transport, in the order of the plan. A pair that was measured
 * repeatedly has the best of its figures; of two rings with equally many ranks the faster one is used.
 */
export function pairsOverview(plan: RunPlan, cells: readonly CellRecord[]): PairsOverview[] {
  const names = plan.pairs?.names ?? [];
  return plan.transports.map(({ name: transport }) => {
    const mine = cells.filter((cell) => cell.transport === transport && cell.group !== undefined);
    const bySet = new Map<number, CellRecord[]>();
    for (const cell of mine) {
      const index = cell.group?.index ?? 0;
      addTo(bySet, index, cell);
    }
    const pairs: PairFigure[] = [];
    const rings: RingFigure[] = [];
    const again: PairFigure[] = [];
    for (const [index, set] of (plan.pairs?.sets ?? []).entries()) {
      const own = bySet.get(index) ?? [];
      if (set.kind === 'pair' && set.isAgain === true) again.push(pairFigure(set.ranks, names, own));
      else if (set.kind === 'pair') pairs.push(pairFigure(set.ranks, names, own));
      else addRing(rings, ringFigure(set.ranks, names, own));
    }
    return overview(
      transport,
      names,
      pairs.map((pair) => betterOf(pair, again)),
      rings,
      plan.hosts.length > 1 && names.length <= plan.hosts.length ? 'host' : 'rank',
      sameMachineNames(plan),
    );
  });
}

/** Returns a sentence that several host names are the same machine, so that their connection says nothing about cables. */
export const sameMachineText = (names: readonly string[]): string =>
  `${joinWords(names)} are one machine: no cable or switch lies between them`;

/**
 * Returns, for each machine that has several host names, the names of all its ranks as reports print them. Ranks of one host name
 * need no list, because they obviously share a machine.
 */
function sameMachineNames({ pairs, hosts }: RunPlan): string[][] {
  return (pairs?.sameMachine ?? []).map((group) =>
    hosts
      .filter(({ name }) => group.includes(name))
      .flatMap(({ ranks }) => ranks.map((rank) => pairs?.names[rank] ?? String(rank))),
  );
}

const okOf = (cells: readonly CellRecord[], point: number): OkCell | undefined =>
  cells.find((cell): cell is OkCell => cell.status === 'ok' && cell.point === point);

const rateOf = (cell: OkCell | undefined): number | null =>
  cell === undefined ? null : (derivedOf(cell, 'busbw', 'pipelined')?.value ?? null);

function reasonOf(cells: readonly CellRecord[]): string | null {
  if (cells.length === 0) return notReached;
  const other = cells.find((cell) => cell.status !== 'ok');
  return other?.reason ?? null;
}

function pairFigure(
  ranks: readonly number[],
  names: readonly string[],
  cells: readonly CellRecord[],
): PairFigure {
  const [a = '', b = ''] = ranks.map((rank) => names[rank] ?? String(rank));
  const small = measuredOf(okOf(cells, 0), 'latency');
  const atLarge = okOf(cells, 1);
  const large = measuredOf(atLarge, 'pipelined');
  return {
    a,
    b,
    latencyNs: small?.value ?? null,
    fastNs: small === null ? null : (small.p5 ?? small.min),
    timeNs: large?.value ?? null,
    GBps: rateOf(atLarge),
    reason: reasonOf(cells),
  };
}

/**
 * Returns the pair with the best value of each figure over all its measurements: a defect makes it slow each time, a busy machine
 * only once.
 * @param again repeated measurements of any pairs
 */
function betterOf(pair: PairFigure, again: readonly PairFigure[]): PairFigure {
  const both = [pair, ...again.filter((one) => pairKey(one) === pairKey(pair))];
  const least = (key: 'latencyNs' | 'fastNs' | 'timeNs') => {
    const values = both.map((one) => one[key]).filter(there);
    return values.length === 0 ? null : Math.min(...values);
  };
  const rates = both.map(({ GBps }) => GBps).filter(there);
  return {
    ...pair,
    latencyNs: least('latencyNs'),
    fastNs: least('fastNs'),
    timeNs: least('timeNs'),
    GBps: rates.length === 0 ? null : Math.max(...rates),
    reason: rates.length === 0 ? pair.reason : null,
  };
}

/** Adds a ring to the list. Of two rings with the same number of ranks only the faster one is kept. */
function addRing(rings: RingFigure[], ring: RingFigure): void {
  const at = rings.findIndex(({ ranks }) => ranks === ring.ranks);
  const there = rings[at];
  if (there === undefined) rings.push(ring);
  else if ((ring.GBps ?? 0) > (there.GBps ?? 0)) rings[at] = ring;
}

function ringFigure(
  ranks: readonly number[],
  names: readonly string[],
  cells: readonly CellRecord[],
): RingFigure {
  const last = ranks.at(-1) ?? 0;
  return {
    ranks: ranks.length,
    last: names[last] ?? String(last),
    GBps: rateOf(okOf(cells, 1)),
    reason: reasonOf(cells),
  };
}

/**
 * Computes medians, slow hosts or pairs, and the drop of ring bandwidth for one transport. Pairs within one machine, and pairs that
 * the run did not reach, are never reported as slow. If host names share a machine, no drop is reported.
 * @param names names of hosts or ranks, as `members` says
 * @param sameMachine one list for each physical machine with several host names: its members of `names`
 */
export function overview(
  transport: string,
  names: string[],
  pairs: PairFigure[],
  rings: RingFigure[],
  members: PairsOverview['members'] = 'host',
  sameMachine: string[][] = [],
): PairsOverview {
  const isBetweenMachines = ({ a, b }: PairFigure) =>
    !sameMachine.some((group) => group.includes(a) && group.includes(b));
  const machines = names.length - sameMachine.reduce((sum, { length }) => sum + length - 1, 0);
  const ran = pairs.filter(({ GBps }) => GBps !== null);
  // Pairs that the run did not reach are not judged.
  const tried = pairs.filter((pair) => pair.reason !== notReached && isBetweenMachines(pair));
  return {
    transport,
    members,
    names,
    pairs,
    rings,
    findings: [...bandwidthFindings(tried), ...latencyFindings(tried)],
    // The first ring that includes a second machine is slower, whichever rank joins, so no drop is reported.
    ringDrop: sameMachine.length === 0 ? ringDropOf(rings) : null,
    typicalGBps: medianOf(pairs.map(({ GBps }) => GBps).filter(there)),
    typicalLatencyNs: medianOf(pairs.map(({ latencyNs }) => latencyNs).filter(there)),
    hasVerdict: machines > 2 && ran.length > 0,
    sameMachine,
  };
}

/**
 * Converts outliers in bandwidth or latency to findings, each with its own value and the median of all pairs that are not slow. An
 * outlier whose value is not worse than this median by the minimum slowdown is left out.
 */
function findingsOfOutliers(
  outliers: HostOutliers,
  pairs: readonly PairFigure[],
  measure: PairFinding['measure'],
): PairFinding[] {
  const value = ({ GBps, latencyNs }: PairFigure) => (measure === 'bandwidth' ? GBps : latencyNs);
  const slow = new Set(outliers.hosts.filter(({ isOutlier }) => isOutlier).map(({ name }) => name));
  const bad = new Set(outliers.pairs.filter(({ isOutlier }) => isOutlier).map(pairKey));
  const others = pairs.filter((pair) => !slow.has(pair.a) && !slow.has(pair.b) && !bad.has(pairKey(pair)));
  const typical = medianOf(others.map(value).filter(there));
  // A host looks slower than it is with slow partners, so pairs with other slow hosts are left out where possible.
  const partners = (name: string) => {
    const mine = pairs.filter(({ a, b }) => a === name || b === name);
    const fair = mine.filter(({ a, b }) => !slow.has(a === name ? b : a));
    return (fair.length > 0 ? fair : mine).map(value).filter(there);
  };
  const found = [
    ...[...slow].map(
      (name): PairFinding => ({
        kind: 'host',
        measure,
        names: [name],
        value: medianOf(partners(name)),
        typical,
      }),
    ),
    ...pairs
      .filter((pair) => bad.has(pairKey(pair)))
      .map(
        (pair): PairFinding => ({
          kind: 'pair',
          measure,
          names: [pair.a, pair.b],
          value: value(pair),
          typical,
        }),
      ),
  ];
  // A pair of two fast hosts can be slower than expected of these hosts, and still be as fast as other pairs.
  return found.filter((finding) => isWorse(finding));
}

/**
 * Returns the pairs that decide whether a finding is true: the slow pair, or the pairs of the slow host. A host of which no pair ran
 * has none.
 * @param pairs pairs of the overview that has the finding
 */
export function pairsOfFinding({ kind, names }: PairFinding, pairs: readonly PairFigure[]): PairFigure[] {
  return pairs.filter(({ a, b, GBps }) =>
    kind === 'pair'
      ? names.includes(a) && names.includes(b)
      : names.some((name) => name === a || name === b) && GBps !== null,
  );
}

function isWorse({ measure, value, typical }: PairFinding): boolean {
  if (value === null || typical === null) return true;
  return measure === 'bandwidth' ? value * minSlowdown <= typical : value >= typical * minLatencySlowdown;
}

function bandwidthFindings(pairs: readonly PairFigure[]): PairFinding[] {
  return findingsOfOutliers(
    outliersOf(
      pairs.map(({ a, b, timeNs }) => ({ a, b, timeNs })),
      minSlowdown,
    ),
    pairs,
    'bandwidth',
  );
}

/**
 * Returns the pairs and hosts whose latency is high both in the median and in the 5th percentile; a busy CPU increases the median
 * alone. Pairs that did not run are left out, because the findings about bandwidth name them.
 */
function latencyFindings(all: readonly PairFigure[]): PairFinding[] {
  const pairs = all.filter(({ latencyNs, fastNs }) => latencyNs !== null && fastNs !== null);
  const [typical, fast] = (['latencyNs', 'fastNs'] as const).map((key) =>
    findingsOfOutliers(
      outliersOf(
        pairs.map((pair) => ({ a: pair.a, b: pair.b, timeNs: pair[key] })),
        minLatencySlowdown,
      ),
      pairs,
      'latency',
    ),
  );
  const both = new Set(fast?.map(({ names }) => names.join('\0')));
  return typical?.filter(({ names }) => both.has(names.join('\0'))) ?? [];
}

/**
 * Returns the number of ranks at which the bandwidth of rings drops: the largest of all steps after which every larger ring is
 * slower than every smaller one, and the median at least 20 % lower; null if there is none. The rank that joined at the step is
 * named if the step is at least 70 % of the difference of medians, in logarithms. The first ring that failed counts as the drop if
 * a smaller one ran. The first ring that the run did not reach, and all later ones, are ignored.
 */
function ringDropOf(series: readonly RingFigure[]): RingDrop | null {
  const broken = series.findIndex(({ GBps }) => GBps === null);
  const good = (broken < 0 ? series : series.slice(0, broken)).map(({ GBps }) => GBps as number);
  const next = series[broken];
  const before = good.at(-1);
  // A ring that the run did not reach is no drop.
  if (next !== undefined && before !== undefined && next.reason !== notReached)
    return { ranks: next.ranks, last: next.last, fromGBps: before, toGBps: null };
  let largest = 0;
  let drop: RingDrop | null = null;
  for (let at = 1; at < good.length; at++) {
    const [left, right] = [good.slice(0, at), good.slice(at)];
    const [fromGBps, toGBps] = [median(left), median(right)];
    const step = Math.log((good[at - 1] as number) / (good[at] as number));
    const isApart = toGBps <= fromGBps * (1 - minDrop) && Math.max(...right) < Math.min(...left);
    if (!isApart || step <= largest) continue;
    largest = step;
    const { ranks, last } = series[at] as RingFigure;
    const isAbrupt = step >= abruptShare * Math.log(fromGBps / toGBps);
    drop = { ranks, last: isAbrupt ? last : null, fromGBps, toGBps };
  }
  return drop;
}

/**
 * True if no host and no pair is slow, and no single rank lowers the bandwidth of the rings that contain it. A bandwidth that falls
 * gradually as rings get more ranks is allowed.
 */
export function isClean({ findings, ringDrop }: PairsOverview): boolean {
  return findings.length === 0 && (ringDrop === null || ringDrop.last === null);
}

/**
 * Returns "6 hosts" if each host has one rank, otherwise, and with one host, "4 ranks".
 * @param names measured hosts or ranks
 * @param hosts number of hosts in the run
 */
export function membersPhrase(names: readonly string[], hosts: number): string {
  return plural(names.length, hosts > 1 && names.length <= hosts ? 'host' : 'rank');
}
