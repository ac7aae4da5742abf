// The plan of a run of pairs, made from that of two ranks.
import type { CollectiveName, PairsPlan, PointPlan, RunPlan } from '../results/schema/index.ts';
import { planningOf } from './engines/index.ts';
import { estimateSetsS, expectedOf, rankPairSets, sidesOf } from './pairs.ts';
import { workloadPlanning } from './workloads/index.ts';

export interface PairsChoice {
  /** Bytes of the bandwidth figure: both parts of a pair's allgather. */
  size: number;
  oneAtATime: boolean;
  /** What is bad of a run, as typed; null where all pairs are measured. */
  bisect: { text: string } | null;
}

/** Each rank gives the other its part and adds nothing: the rate is that of the way between them, in a ring of any size. */
const pairCollective = 'allgather';
/** What breaks a big run is looked for with the collective that big runs are made of. */
const searchCollective = 'allreduce';
const latencyBytes = 8;

export const collectiveOfPairs = ({ bisect }: PairsChoice): CollectiveName =>
  bisect === null ? pairCollective : searchCollective;

/** @param plan of one run over all ranks */
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
    // Ranks of one machine would share its cores.
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

/** Ranks of a host are numbered as its devices are. */
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

/** Of two ranks, latency first; rings take the bytes of the second (pairs.ts). */
function pairPoints(like: PointPlan, size: number): PointPlan[] {
  const { pointFor } = workloadPlanning(like);
  return [latencyBytes, size].map((requestedX) => pointFor({ ...like, requestedX }, 2));
}
