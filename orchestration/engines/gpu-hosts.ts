// Selection of the GPUs of a run, for every engine that uses GPUs.

import { refuse } from '../../results/refusals/refusal.ts';
import type { OptionChange } from '../../results/refusals/wording.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { gpuMemoryShortage } from '../../suites/engines/nccl/memory.ts';
import { suggestRanks } from '../../suites/planning/carriers.ts';
import type { MeasuredCommand } from '../../suites/workloads/index.ts';
import type { Engine, EngineHosts, MeasureOptions, ProbedHost } from './engine.ts';
import { factsIn, gpuNumaNodes, gpusOfFacts, gpusText, type NcclGpu } from './nccl/facts.ts';

/**
 * GPUs of a run in the order of ranks, and the number of ranks. There are fewer GPUs than ranks if ranks share GPUs.
 * On several hosts the list has all GPUs of the hosts, which may be more than ranks.
 */
export interface DeviceAllocation {
  gpus: NcclGpu[];
  ranks: number;
}

/**
 * Returns the GPUs to use on this machine alone, and the number of ranks: --ranks, otherwise one rank per GPU, and at
 * least two with --share-gpu.
 * @param all all GPUs of this machine
 * @throws Refusal if a GPU does not exist; if, without --share-gpu, a GPU is named twice or there are too few GPUs; or
 * if the collective cannot run with the number of ranks
 */
export function rankCounts(
  command: MeasuredCommand,
  options: MeasureOptions,
  all: readonly NcclGpu[],
): DeviceAllocation {
  const there = gpusText(all);
  const wanted = options.gpus ?? all.map(({ number }) => number);
  const twice = wanted.find((number, i) => wanted.indexOf(number) !== i);
  if (twice !== undefined && !options.shareGpu) throw refuse('gpu-named-twice', { gpus: wanted, gpu: twice });
  const beyond = wanted.find((number) => number >= all.length);
  if (beyond !== undefined) {
    throw refuse('no-such-gpu', { gpus: wanted, gpu: beyond, there, count: all.length });
  }
  // Ranks share a GPU in order to try a transport, which a single rank would not use: the default is two ranks.
  const ranks = options.ranks ?? Math.max(wanted.length, options.shareGpu ? 2 : 1);
  if (ranks > wanted.length && !options.shareGpu) {
    const code = options.gpus === null ? 'ranks-over-gpus' : 'ranks-over-named-gpus';
    const instead = optionsFor(command, options, wanted.length);
    throw refuse(code, { ranks, gpus: wanted.length, there, instead });
  }
  requireRanks(command, options, ranks, wanted.length);
  return { gpus: wanted.slice(0, ranks).map((number) => all[number] as NcclGpu), ranks };
}

/**
 * Checks that the collective can run with this number of ranks, which was given or follows from the number of GPUs. With --groups
 * nothing is checked: groupsPlanOf() checks the size of each group.
 * @param gpus number of GPUs that may be used; the refusal suggests options that need no more
 * @throws Refusal if the collective cannot run with it
 */
export function requireRanks(
  command: MeasuredCommand,
  options: MeasureOptions,
  ranks: number,
  gpus: number,
): void {
  const { name, workload } = command;
  const why = options.groups === null ? workload.refuses(name, ranks) : null;
  if (why == null) return;
  const code = options.ranks === null ? 'collective-refuses-gpus' : 'collective-refuses-ranks';
  throw refuse(code, { collective: name, why, ranks, instead: optionsFor(command, options, gpus) });
}

/**
 * Returns changes of options with which a command can run on this number of GPUs, as values keyed by option. Preferred is a number
 * of ranks that the collective accepts, with one GPU each (with --share-gpu: any such number). Otherwise ranks share a GPU, over
 * transport socket. Null if neither is possible.
 */
function optionsFor(
  command: MeasuredCommand,
  { engine, shareGpu }: MeasureOptions,
  gpus: number,
): OptionChange['change'] | null {
  const ranks = suggestRanks(command, Math.max(1, gpus));
  if (ranks <= gpus || shareGpu) return { ranks: String(ranks) };
  const { options, transports } = planningEngines[engine];
  const canShare = options.includes('shareGpu') && transports.includes('socket');
  return canShare ? { ranks: String(ranks), 'share-gpu': '', transport: 'socket' } : null;
}

/**
 * Returns the numbers of GPUs of all hosts, and the checks of GPUs and ranks, for any engine whose ranks use GPUs.
 * @param requireMore checks additional requirements of the engine, such as its library version; called by require() with the GPUs
 * and the number of ranks. It throws a Refusal if one is not met
 */
export function gpuEngineHosts(
  command: MeasuredCommand,
  options: MeasureOptions,
  hosts: readonly ProbedHost[],
  _isHere: boolean,
  requireMore: (allocation: DeviceAllocation) => void = () => undefined,
): EngineHosts {
  const there = hosts.map(({ result }) => gpusOfFacts(factsIn(result)));
  const all = there.flat();
  let allocation: DeviceAllocation = { gpus: all, ranks: 0 };
  return {
    offered: there.map((gpus) => options.gpus?.length ?? gpus.length),
    ranksHere() {
      if (all.length === 0) return null;
      allocation = rankCounts(command, options, all);
      return allocation.ranks;
    },
    require(ranks) {
      allocation = { ...allocation, ranks };
      requireMore(allocation);
    },
    memoryShortage: (plan) => gpuMemoryShortage(plan, allocation),
  };
}

/**
 * Returns the NUMA node of each GPU of a host, by GPU number; if GPUs were requested (--gpus), of these, in the order of the
 * request. -1 = unknown, or no such GPU.
 */
export const gpuNodes: Engine['deviceNodes'] = (result, { gpus }) => {
  const nodes = gpuNumaNodes(factsIn(result));
  return gpus === null ? nodes : gpus.map((gpu) => nodes[gpu] ?? -1);
};
