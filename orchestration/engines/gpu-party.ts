import { requireGpuMemory } from '../../suites/engines/nccl/memory.ts';
import type { Engine } from './engine.ts';
import { factsIn, gpuNodesIn, gpusIn } from './nccl/facts.ts';
import { type Crew, crewOf } from './nccl/party.ts';

/** The GPUs of one machine, one for each rank: nothing else is asked of those who take part. */
export const gpuParty: Engine['party'] = (command, options, hosts) => {
  const there = hosts.map(({ result }) => gpusIn(factsIn(result)));
  const all = there.flat();
  let crew: Crew = { gpus: all, ranks: 0 };
  return {
    offered: there.map((gpus) => options.gpus?.length ?? gpus.length),
    ranksHere() {
      if (all.length === 0) return null;
      crew = crewOf(command, options, all);
      return crew.ranks;
    },
    require(ranks) {
      crew = { ...crew, ranks };
    },
    requireMemory: (plan) => requireGpuMemory(plan, crew),
  };
};

/** NUMA nodes of the GPUs of a host, or of those that were asked for. */
export const gpuNodes: Engine['deviceNodes'] = (result, { gpus }) => {
  const nodes = gpuNodesIn(factsIn(result));
  return gpus === null ? nodes : gpus.map((gpu) => nodes[gpu] ?? -1);
};

/** What probes told, without what they did not. */
export const told = (facts: readonly (readonly [string, string | undefined])[]): Record<string, string> =>
  Object.fromEntries(facts.filter((one): one is readonly [string, string] => one[1] !== undefined));
