// From options to the plan of a run of pairs.

import type { Nodes } from '../../orchestration/preparing/nodes.ts';
import { type Prepared, prepare } from '../../orchestration/preparing/prepare.ts';
import { dtypeOf, type PairsPlan, type PointPlan, type RunPlan } from '../../results/schema/index.ts';
import { collectives } from '../../suites/collectives.ts';
import { allSets, estimateSetsS, expectedOf, sidesOf } from '../../suites/pairs.ts';
import { planSizes } from '../../suites/sizes.ts';
import { CommandError } from '../exit.ts';
import type { Options } from '../options/index.ts';
import type { PairsOptions } from '../options/pairs.ts';

/** Each rank gives the other its part and adds nothing: the rate is that of the way between them, in a ring of any size. */
const pairCollective = 'allgather';
/** What breaks a big run is looked for with the collective that big runs are made of. */
const searchCollective = 'allreduce';
const latencyBytes = 8;

/** @throws CommandError what was asked for cannot run, before anything was started or written */
export async function preparePairs(
  options: Options,
  pairs: PairsOptions,
  words: readonly string[],
  nodes: Nodes,
): Promise<Prepared> {
  const isSearch = pairs.bisect !== null;
  const prepared = await prepare(isSearch ? searchCollective : pairCollective, options, words, nodes);
  const { plan } = prepared;
  if (plan.ranks < 2) {
    throw new CommandError('pairs needs two ranks at least', ['  allowed: two hosts or GPUs, or more']);
  }
  const bare: RunPlan = {
    ...plan,
    command: ['collbench', 'pairs', ...words],
    points: isSearch ? plan.points : pairPoints(plan.points[0] as PointPlan, pairs.size),
    skipped: [],
  };
  return { ...prepared, plan: withSets(bare, pairs) };
}

function withSets(plan: RunPlan, { bisect, oneAtATime }: PairsOptions): RunPlan {
  const isOneMachine = plan.hosts.length < 2;
  const sets = bisect === null ? allSets(sidesOf(plan), !isOneMachine || plan.engine === 'nccl') : [];
  const pairs: PairsPlan = {
    names: namesOf(plan),
    sets,
    // Ranks of one machine would share its cores.
    isConcurrent: bisect === null && !oneAtATime && !isOneMachine,
    ...(bisect === null ? {} : { bisect: bisect.text }),
  };
  return {
    ...plan,
    pairs,
    expected: expectedOf(plan, sets),
    estimateS: Math.round(estimateSetsS(plan, pairs) * 10) / 10,
  };
}

/** Ranks of a host are numbered as its GPUs are. */
function namesOf({ hosts, ranks, engine, settings }: RunPlan): string[] {
  const gpus = settings.gpus?.split(',');
  const isOneEach = hosts.length === ranks;
  return Array.from({ length: ranks }, (_, rank) => {
    const host = hosts.find((one) => one.ranks.includes(rank));
    if (hosts.length > 1 && host !== undefined)
      return isOneEach ? host.name : `${host.name}/${host.ranks.indexOf(rank)}`;
    return engine === 'nccl' ? `GPU ${gpus?.[rank] ?? rank}` : `rank ${rank}`;
  });
}

/** Of two ranks, latency first; rings take the bytes of the second (suites/pairs.ts). */
function pairPoints(like: PointPlan, size: number): PointPlan[] {
  const { points } = planSizes(collectives[pairCollective], dtypeOf(like), 2, [latencyBytes, size]);
  const [small, large = small] = points;
  return [small, large].map((point) => ({ ...like, ...(point as NonNullable<typeof point>) }));
}
