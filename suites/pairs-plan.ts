// The plan of `collbench pairs`, made from a plan over all ranks.
import type { CollectiveName, PairsPlan, PointPlan, RunPlan } from '../results/schema/index.ts';
import { planningOf } from './engines/index.ts';
import { estimateSetsS, expectedOf, rankPairSets, sidesOf } from './pairs.ts';
import { workloadPlanning } from './workloads/index.ts';

export interface PairsChoice {
  /** Payload of the allgather that measures bandwidth, bytes: both parts of a pair. */
  size: number;
  oneAtATime: boolean;
  /** Failure that the search looks for (`--bisect`), as typed; null if all pairs are measured. */
  bisect: { text: string } | null;
}

/**
 * Allgather needs no arithmetic: each rank sends its part to the other. Its bus bandwidth is that of the link, in a ring of any
 * size.
 */
const pairCollective = 'allgather';
/** The search for a failing rank uses allreduce, because large jobs consist mainly of allreduce. */
const searchCollective = 'allreduce';
const latencyBytes = 8;

export const collectiveOfPairs = ({ bisect }: PairsChoice): CollectiveName =>
  bisect === null ? pairCollective : searchCollective;

/**
 * Makes the plan of pairs and rings, or of a search.
 * @param plan a plan of one run over all ranks
 * @param words the command line after `pairs`
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

/** Name of each rank: its host, host and local rank, or device number. */
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

/** The two points of a pair, latency first. Rings use the bytes of the second point (pairs.ts). */
function pairPoints(like: PointPlan, size: number): PointPlan[] {
  const { pointFor } = workloadPlanning(like);
  return [latencyBytes, size].map((requestedX) => pointFor({ ...like, requestedX }, 2));
}
