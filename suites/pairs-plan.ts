// The plan of `collbench pairs`, made from a plan over all ranks.
import type { CollectiveName, PairsPlan, PointPlan, RunPlan } from '../results/schema/index.ts';
import { planningOf } from './engines/index.ts';
import { estimateSetsS, expectedOf, rankPairSets, sidesOf } from './pairs.ts';
import { workloadPlanning } from './workloads/index.ts';

export interface PairsChoice {
  /** Payload in bytes of the allgather that measures bandwidth: the data of both ranks of a pair together. */
  size: number;
  oneAtATime: boolean;
  /**
   * Condition under which a run counts as bad in the search for a failing host (`--bisect`), as typed; null if all pairs are
   * measured.
   */
  bisect: { text: string } | null;
}

/**
 * Collective that measures pairs and rings. Allgather needs no arithmetic: each rank sends its data to the other ranks. In a ring
 * of any size its bus bandwidth equals the bandwidth of the link.
 */
const pairCollective = 'allgather';
/** Collective of the search for a failing rank (`--bisect`): allreduce, because large jobs consist mainly of allreduce. */
const searchCollective = 'allreduce';
const latencyBytes = 8;

export const collectiveOfPairs = ({ bisect }: PairsChoice): CollectiveName =>
  bisect === null ? pairCollective : searchCollective;

/**
 * Returns the plan of `collbench pairs` for the ranks of another plan, which stays unchanged: all pairs and rings of ranks, or with
 * `choice.bisect` the search for a failing rank. A single machine without GPUs gets no rings.
 * @param plan a plan of one run over all ranks
 * @param words the arguments after `collbench pairs`
 */
export function pairsPlan(plan: RunPlan, choice: PairsChoice, words: readonly string[]): RunPlan {
  const { bisect, oneAtATime, size } = choice;
  const isOneMachine = plan.hosts.length < 2;
  const [first] = plan.points;
  const bare: RunPlan = {
    ...plan,
    command: ['collbench', 'pairs', ...words],
    points: bisect === null && first !== undefined ? pairPoints(first, size) : plan.points,
    skipped: [],
  };
  const hasRings = !isOneMachine || planningOf(plan).devices !== null;
  const sets = bisect === null ? rankPairSets(sidesOf(bare), hasRings) : [];
  const pairs: PairsPlan = {
    names: namesOf(bare),
    sets,
    // Pairs on one machine would share its cores, so they are measured one at a time.
    isConcurrent: bisect === null && !oneAtATime && !isOneMachine,
    ...(bisect === null ? {} : { bisect: bisect.text }),
  };
  return {
    ...bare,
    pairs,
    expected: expectedOf(bare, sets),
    estimateS: Math.round(estimateSetsS(bare, pairs) * 10) / 10,
  };
}

/**
 * [rank] Name of each rank in texts. With several hosts: its host ("gpu01"), or if any host has several ranks, host and local rank
 * ("gpu01/0"). On a single machine: its device ("GPU 3"), or "rank 3" if ranks have no devices.
 */
function namesOf(plan: RunPlan): string[] {
  const { hosts, ranks } = plan;
  const { devices } = planningOf(plan);
  const numbers = devices?.namedIn(plan.settings) ?? null;
  const isOneEach = hosts.length === ranks;
  return Array.from({ length: ranks }, (_, rank) => {
    const host = hosts.find((one) => one.ranks.includes(rank));
    if (hosts.length > 1 && host !== undefined)
      return isOneEach ? host.name : `${host.name}/${host.ranks.indexOf(rank)}`;
    return devices === null ? `rank ${rank}` : `${devices.name} ${numbers?.[rank] ?? rank}`;
  });
}

/**
 * The two points that each pair measures: latency of a small message, then bandwidth with `size` bytes. Rings measure only
 * bandwidth (pairs.ts).
 * @param like point from which all other axes are taken
 */
function pairPoints(like: PointPlan, size: number): PointPlan[] {
  const { pointFor } = workloadPlanning(like);
  return [latencyBytes, size].map((requestedX) => pointFor({ ...like, requestedX }, 2));
}
