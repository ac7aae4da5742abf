// Plans of `collbench pairs`: the sets of ranks (pairs and rings), the plan of each set, and the blocks that it measures.
import { planOfGroup } from '../results/derive/index.ts';
import type { BlockRequest, PairsPlan, PointPlan, RunPlan, SetPlan } from '../results/schema/index.ts';
import { estimateBlockNs } from './costs.ts';
import { planningOf } from './engines/index.ts';
import { workloadPlanning } from './workloads/index.ts';

/** Indices of the two points in a plan of `collbench pairs`: latency of a small message, and bandwidth of a large one. */
const latencyPoint = 0;
const bandwidthPoint = 1;

/**
 * Ranks of each side, by index of the side. A side is a host; if all ranks are on one machine, each rank is a side. A pair measures
 * the link between two sides.
 */
export type HostSides = readonly (readonly number[])[];

/**
 * All pairs of ranks on different sides (see HostSides), then rings that consist of the first ranks of the first 2, 3, ... sides.
 * In a round of pairs no side occurs twice, because the ranks of a host share one cable. Each ring is a round of its own.
 * @param hasRings false if all ranks share the memory of one machine: a ring there always gets slower the larger it is
 */
export function rankPairSets(sides: HostSides, hasRings: boolean): SetPlan[] {
  const rounds = pairRounds(sides.length).flatMap((round) => rankPairRounds(round, sides));
  const pairs = rounds.flatMap((round, index) =>
    round.map((ranks): SetPlan => ({ kind: 'pair', ranks, round: index })),
  );
  const rings = ringSteps(hasRings ? sides.length : 0).map(
    (ring, index): SetPlan => ({
      kind: 'ring',
      ranks: ring.map((side) => sides[side]?.[0] ?? side),
      round: rounds.length + index,
    }),
  );
  return [...pairs, ...rings];
}

/**
 * Splits one round of pairs of sides into rounds of pairs of ranks. Each new round takes one pair of ranks from every pair of
 * sides, until all pairs of ranks are used.
 * @param round pairs of indices into `sides`, without a common side
 * @returns ranks as [round][pair][0 or 1], the lower rank of a pair first
 */
function rankPairRounds(round: readonly HostPair[], sides: HostSides): number[][][] {
  const all = round.map(([a, b]) =>
    (sides[a] ?? []).flatMap((one) => (sides[b] ?? []).map((other) => [one, other].sort((x, y) => x - y))),
  );
  const turns = Math.max(...all.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => all.flatMap((pairs) => pairs.slice(turn, turn + 1)));
}

/**
 * Plans the second measurement of pairs and rings whose first result is doubtful, in rounds after those of `sets`, and returns only
 * these sets. In a round of pairs no side (host) occurs twice; each ring is a round of its own.
 * @param sets all planned sets, whose round numbers are already used
 * @param doubtful sets to measure again
 */
export function setsAgain(
  sets: readonly SetPlan[],
  doubtful: readonly Pick<SetPlan, 'kind' | 'ranks'>[],
  sides: HostSides,
): SetPlan[] {
  const sideOf = (rank: number) => sides.findIndex((ranks) => ranks.includes(rank));
  const first = 1 + sets.reduce((last, { round }) => Math.max(last, round), -1);
  const rounds: { kind: SetPlan['kind']; busy: Set<number> }[] = [];
  return doubtful.map(({ kind, ranks }): SetPlan => {
    const isFree = (round: (typeof rounds)[number]) =>
      kind === 'pair' && round.kind === kind && ranks.every((rank) => !round.busy.has(sideOf(rank)));
    const free = rounds.findIndex(isFree);
    const round = free < 0 ? rounds.push({ kind, busy: new Set() }) - 1 : free;
    for (const rank of ranks) rounds[round]?.busy.add(sideOf(rank));
    return { kind, ranks: [...ranks], round: first + round, isAgain: true };
  });
}

/** The sides between which `collbench pairs` measures, as lists of ranks: each host, or each rank if there is a single machine. */
export const sidesOf = ({ hosts, ranks }: RunPlan): HostSides =>
  hosts.length > 1 ? hosts.map((host) => host.ranks) : Array.from({ length: ranks }, (_, rank) => [rank]);

/**
 * Name of a pair or ring of ranks in texts: "gpu01 - gpu03", "ring of 5, last gpu05". A repeated measurement has ", again" at the
 * end.
 * @param names name of each rank of the run, such as "gpu01"
 */
export function setName({ kind, ranks, isAgain }: SetPlan, names: readonly string[]): string {
  const last = ranks.at(-1) ?? 0;
  const more = isAgain === true ? ', again' : '';
  if (kind === 'ring') return `ring of ${ranks.length}, last ${names[last]}${more}`;
  return ranks.map((rank) => names[rank]).join(' - ') + more;
}

/** The plan's points (message sizes) for another number of ranks. Requested bytes stay the same; elements per rank change. */
function pointsFor(plan: RunPlan, ranks: number): PointPlan[] {
  return plan.points.map((point) => workloadPlanning(point).pointFor(point, ranks));
}

/**
 * Engine settings that list only the devices of these ranks, if the run has one machine. Rank k uses entry k of the list `gpus`, or
 * GPU k if there is no list. With several hosts, or without devices, the settings are returned unchanged.
 */
function settingsFor(plan: RunPlan, ranks: readonly number[]): RunPlan['settings'] {
  const { settings, hosts } = plan;
  const { devices } = planningOf(plan);
  if (devices === null || hosts.length > 1) return settings;
  const named = devices.namedIn(settings);
  return devices.withNamed(
    settings,
    ranks.map((rank) => named?.[rank] ?? rank),
  );
}

/**
 * The plan for pairs or rings of as many ranks as `ranks` has. All sets that are measured at the same time share one plan.
 * @param isRing true if the sets are rings; they use the ring algorithm if the engine offers one
 */
export function planForSets(plan: RunPlan, ranks: readonly number[], isRing = false): RunPlan {
  const { pairs: _, ...whole } = plan;
  return {
    ...whole,
    algorithm: (isRing ? planningOf(plan).ringAlgorithm : null) ?? plan.algorithm,
    points: pointsFor(plan, ranks.length),
  };
}

/** The plan for a run of one pair or ring alone: its ranks are renumbered from 0, and hosts without these ranks are removed. */
export function planOfSet(plan: RunPlan, ranks: readonly number[], isRing = false): RunPlan {
  const own = planOfGroup(planForSets(plan, ranks, isRing), { ranks: [...ranks] });
  return { ...own, settings: settingsFor(plan, ranks) };
}

const latencyTargetNs = 20_000_000;
const bandwidthTargetNs = 200_000_000;

/**
 * Blocks that one pair or ring measures over a transport: latency of a small message (pairs only), bandwidth of a large message.
 * With --iters each block has exactly that many samples. One launch is enough, because the results of all pairs together show how
 * much results vary.
 * @param transport index into plan.transports
 */
export function blocksOfSet(plan: RunPlan, kind: SetPlan['kind'], transport: number): BlockRequest[] {
  const { warmup, check, iterations } = plan.sampling;
  const shared = { transport, launch: 0, checkEvery: check, check: check > 0, release: false } as const;
  const latency: BlockRequest = {
    ...shared,
    point: latencyPoint,
    trial: 'isolated',
    warmup,
    minSamples: iterations ?? 10,
    maxSamples: iterations ?? 200,
    targetNs: iterations === null ? latencyTargetNs : 0,
    batch: 1,
    completesCell: true,
  };
  const bandwidth: BlockRequest = {
    ...shared,
    point: bandwidthPoint,
    trial: 'pipelined',
    warmup: Math.min(1, warmup),
    minSamples: iterations ?? 3,
    maxSamples: iterations ?? 100,
    targetNs: iterations === null ? bandwidthTargetNs : 0,
    batch: 1,
    completesCell: true,
  };
  return kind === 'pair' ? [latency, bandwidth] : [bandwidth];
}

/** The block that each launch of the search for a failing rank measures: the plan's first point and first transport, pipelined. */
export function blockOfSearch(plan: RunPlan): BlockRequest {
  const [, bandwidth] = blocksOfSet(plan, 'pair', 0) as [BlockRequest, BlockRequest];
  return { ...bandwidth, point: 0 };
}

/** Seconds to start an agent and a launch on hosts whose ssh connection is already open. */
const startS = 0.6;

/**
 * Estimated seconds to measure all pairs and rings (sets) over all transports. If the sets of a round are measured at the same time
 * (isConcurrent), only the longest of them counts.
 */
export function estimateSetsS(plan: RunPlan, { sets, isConcurrent }: PairsPlan): number {
  const rounds = new Map<number, number>();
  for (const set of sets) {
    const own = planOfSet(plan, set.ranks, set.kind === 'ring');
    let seconds = 0;
    for (const transport of plan.transports.keys()) {
      seconds += startS;
      for (const block of blocksOfSet(plan, set.kind, transport)) {
        const point = own.points[block.point];
        if (point !== undefined) seconds += estimateBlockNs(own, point, transport, block) / 1e9;
      }
    }
    const before = rounds.get(set.round) ?? 0;
    rounds.set(set.round, isConcurrent ? Math.max(before, seconds) : before + seconds);
  }
  return [...rounds.values()].reduce((sum, seconds) => sum + seconds, 0);
}

/**
 * Number of results that a complete run of all pairs and rings has (`cells`), and how many ranks' results it verifies at least
 * (`checks`).
 */
export function expectedOf(plan: RunPlan, sets: readonly SetPlan[]): RunPlan['expected'] {
  const expected = { cells: 0, checks: 0 };
  for (const { kind, ranks } of sets) {
    for (const transport of plan.transports.keys()) {
      for (const block of blocksOfSet(plan, kind, transport)) {
        expected.cells += 1;
        if (block.check) expected.checks += ranks.length;
      }
    }
  }
  return expected;
}

/** Two hosts (or ranks of one machine) by their index in a list, the lower index first. */
export type HostPair = readonly [number, number];

/**
 * All pairs of n hosts, in rounds. No host occurs twice in a round, so the pairs of a round can run at the same time. Circle
 * method: one host is fixed, the others rotate. There are n - 1 rounds, or n if n is odd (one host rests in each).
 * @param n number of hosts; 0 and 1 have no pairs
 */
export function pairRounds(n: number): HostPair[][] {
  if (n < 2) return [];
  const seats = n + (n % 2);
  const moving = seats - 1;
  return Array.from({ length: moving }, (_, round) => {
    const pairs: HostPair[] = [];
    for (let i = 0; i < seats / 2; i++) {
      const a = i === 0 ? moving : (round + i) % moving;
      const b = (round - i + moving) % moving;
      // If n is odd, the last host does not exist, and its partner rests.
      if (Math.max(a, b) < n) pairs.push([Math.min(a, b), Math.max(a, b)]);
    }
    return pairs;
  });
}

/** Rings of growing size: the indices of the first 2, the first 3, ... and all n hosts. */
export const ringSteps = (n: number): number[][] =>
  Array.from({ length: Math.max(0, n - 1) }, (_, step) => Array.from({ length: step + 2 }, (_, i) => i));
