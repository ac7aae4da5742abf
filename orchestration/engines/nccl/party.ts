// Which GPUs take part, and what does not go with them.
import { foldNames } from '../../../results/fold.ts';
import { refuse } from '../../../results/refusals/refusal.ts';
import { requireGpuMemory } from '../../../suites/engines/nccl/memory.ts';
import type { PlanOptions } from '../../../suites/options/plan-options.ts';
import { otherRanks } from '../../../suites/planning/carriers.ts';
import { planningOfCommand } from '../../../suites/workloads/index.ts';
import type { AskedHost, MeasureOptions, Party } from '../engine.ts';
import { type Facts, factsIn, type Gpu, gpusIn, gpusText, versionNumber } from './facts.ts';

/** The GPUs that are used, in the order of the ranks, and how many ranks there are. */
export interface Crew {
  gpus: Gpu[];
  ranks: number;
}

/** Of this machine alone. @throws Refusal a GPU that is not there, fewer GPUs than ranks, a number of ranks the collective refuses */
export function crewOf(command: string, options: MeasureOptions, all: readonly Gpu[]): Crew {
  const there = gpusText(all);
  const wanted = options.gpus ?? all.map(({ number }) => number);
  const twice = wanted.find((number, i) => wanted.indexOf(number) !== i);
  if (twice !== undefined && !options.shareGpu) throw refuse('gpu-named-twice', { gpus: wanted, gpu: twice });
  const beyond = wanted.find((number) => number >= all.length);
  if (beyond !== undefined) {
    throw refuse('no-such-gpu', { gpus: wanted, gpu: beyond, there, count: all.length });
  }
  const ranks = options.ranks ?? wanted.length;
  if (ranks > wanted.length && !options.shareGpu) {
    const code = options.gpus === null ? 'ranks-over-gpus' : 'ranks-over-named-gpus';
    throw refuse(code, { ranks, gpus: wanted.length, there });
  }
  requireRanks(command, options, ranks);
  return { gpus: wanted.slice(0, ranks).map((number) => all[number] as Gpu), ranks };
}

/** A number of ranks that the collective cannot run with, typed or as many as there are GPUs. */
function requireRanks(command: string, options: MeasureOptions, ranks: number): void {
  const why = options.groups === null ? planningOfCommand(command).refuses(command, ranks) : null;
  if (why == null) return;
  const code = options.ranks === null ? 'collective-refuses-gpus' : 'collective-refuses-ranks';
  throw refuse(code, {
    collective: command,
    why,
    ranks,
    other: otherRanks(command, ranks),
    engine: options.engine,
  });
}

/** 8-bit floats need a newer NCCL, and newer GPUs where they are reduced. @throws Refusal */
export function requireTypes(
  command: string,
  { dtype: dtypes }: Pick<PlanOptions, 'dtype'>,
  gpus: readonly Gpu[],
  facts: Facts,
): void {
  const dtype = dtypes.find((name) => name.startsWith('float8'));
  if (dtype === undefined) return;
  const others = dtypes.filter((name) => !name.startsWith('float8'));
  const version = facts['nccl.version'];
  if (version !== undefined && versionNumber(version) < 22400) {
    throw refuse('float8-needs-nccl', { dtype, version, others });
  }
  const gpu = gpus.find(({ capability }) => capability > 0 && capability < 90);
  if (planningOfCommand(command).isReducing(command) && gpu !== undefined)
    throw refuse('float8-needs-gpu', { dtype, gpu, others });
}

/** One run needs one NCCL: unlike versions end in a hang or in a riddle. */
function requireOneNccl(hosts: readonly AskedHost[]): void {
  const byVersion = new Map<string, string[]>();
  for (const { name, result } of hosts) {
    const version = factsIn(result)['nccl.version'] ?? 'none';
    byVersion.set(version, [...(byVersion.get(version) ?? []), name]);
  }
  if (byVersion.size < 2) return;
  const versions = [...byVersion].map(([version, names]) => ({ version, hosts: foldNames(names) }));
  throw refuse('nccl-versions-differ', { versions });
}

export function ncclParty(
  command: string,
  options: MeasureOptions,
  hosts: readonly AskedHost[],
  isHere: boolean,
): Party {
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
      requireOneNccl(hosts);
      requireTypes(command, options, crew.gpus, factsIn(hosts[0]?.result ?? { probed: [] }));
      if (!isHere) requireRanks(command, options, ranks);
    },
    requireMemory: (plan) => requireGpuMemory(plan, crew),
  };
}
