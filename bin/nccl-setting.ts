// What the NCCL engine is told and what a probe of it says, as plain functions: no agent is asked here.
import path from 'node:path';
import type { TransportCapability } from '../orchestration/protocol.ts';
import { refuse } from '../results/refusals/refusal.ts';
import type { CollectiveName, RunPlan } from '../results/schema/index.ts';
import { collectives } from '../suites/collectives.ts';
import { rankBytes } from '../suites/sets.ts';
import type { Options } from './options/index.ts';

/** Transports of the engine, in the order of listing. Twin: transport_names() in native/engines/nccl/environment.cc. */
export const ncclTransports = ['p2p', 'shm', 'socket', 'ib', 'sisci', 'plugin', 'ibgda'] as const;

/** Words of native/engines/nccl/settings.h that differ from their defaults. */
export function engineSettings(options: Options): Record<string, string> {
  const { nccl, gpus, shareGpu, cache, graph, aggregate, blocking } = options;
  const { split, misalign, hostCheck, deviceApi } = options;
  // The device API knows only symmetric windows, so asking for it asks for them.
  const register = deviceApi === 'none' ? options.register : 'symmetric';
  const words: [string, string | null][] = [
    ['nccl', nccl === null ? null : path.resolve(nccl)],
    ['gpus', gpus === null ? null : gpus.join(',')],
    ['shareGpu', shareGpu ? '1' : null],
    ['cache', cache === 'cold' ? null : cache],
    ['graph', graph ? '1' : null],
    ['aggregate', aggregate === 1 ? null : String(aggregate)],
    ['register', register === 'none' ? null : register],
    ['deviceApi', deviceApi === 'none' ? null : deviceApi],
    ['blocking', blocking ? null : '0'],
    ['split', split === 0 ? null : String(split)],
    ['misalign', misalign === 0 ? null : String(misalign)],
    ['hostCheck', hostCheck ? '1' : null],
  ];
  return Object.fromEntries(words.filter((word): word is [string, string] => word[1] !== null));
}

export interface Gpu {
  number: number;
  name: string;
  /** 0 = not said. */
  memoryBytes: number;
  /** Compute capability times ten, 90 = 9.0; 0 = not said. */
  capability: number;
}

type Facts = Record<string, string>;

/** GPUs of the machine that the facts of a probe name. */
export function gpusIn(facts: Facts): Gpu[] {
  return Array.from({ length: Number(facts['gpu.count'] ?? 0) }, (_, number) => ({
    number,
    name: facts[`gpu.${number}.name`] ?? 'GPU',
    memoryBytes: Number(facts[`gpu.${number}.memoryBytes`] ?? 0),
    capability: Math.round(Number(facts[`gpu.${number}.capability`] ?? 0) * 10),
  }));
}

/** NUMA node of each GPU; -1 where the system does not know. */
export const gpuNodesIn = (facts: Facts): number[] =>
  Array.from({ length: Number(facts['gpu.count'] ?? 0) }, (_, gpu) => Number(facts[`gpu.${gpu}.numa`] ?? -1));

/** "2 GPUs (NVIDIA H200)". */
export function gpusText(gpus: readonly Gpu[]): string {
  const names = [...new Set(gpus.map(({ name }) => name))].join(', ');
  return `${gpus.length} ${gpus.length === 1 ? 'GPU' : 'GPUs'} (${names})`;
}

/** The GPUs that are used, in the order of the ranks, and how many ranks there are. */
export interface Crew {
  gpus: Gpu[];
  ranks: number;
}

/** @throws Refusal a GPU that is not there, fewer GPUs than ranks, a number of ranks the collective refuses */
export function crewOf(collective: CollectiveName, options: Options, all: readonly Gpu[]): Crew {
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
  if (options.groups === null) requireRanks(collective, ranks, options.ranks !== null);
  return { gpus: wanted.slice(0, ranks).map((number) => all[number] as Gpu), ranks };
}

/** @throws Refusal a number of ranks that the collective cannot run with, typed or as many as there are GPUs */
export function requireRanks(collective: CollectiveName, ranks: number, isTyped: boolean): void {
  const why = collectives[collective].refuses?.(ranks) ?? null;
  if (why === null) return;
  throw refuse(isTyped ? 'collective-refuses-ranks' : 'collective-refuses-gpus', { collective, why, ranks });
}

/** "2.28.9" as 22809; 0 for nothing. */
const versionNumber = (text: string | undefined): number => {
  const [major = 0, minor = 0, patch = 0] = (text ?? '').split('.').map(Number);
  return major * 10_000 + minor * 100 + patch;
};

/** 8-bit floats need a newer NCCL, and newer GPUs where they are reduced. @throws Refusal */
export function requireTypes(collective: CollectiveName, options: Options, crew: Crew, facts: Facts): void {
  const small = options.dtype.find((name) => name.startsWith('float8'));
  if (small === undefined) return;
  const others = options.dtype.filter((name) => !name.startsWith('float8'));
  const version = facts['nccl.version'];
  if (version !== undefined && versionNumber(version) < 22400) {
    throw refuse('float8-needs-nccl', { dtype: small, version, others });
  }
  const old = crew.gpus.find(({ capability }) => capability > 0 && capability < 90);
  if (collectives[collective].reduces && old !== undefined) {
    throw refuse('float8-needs-gpu', { dtype: small, gpu: old, others });
  }
}

/** CUDA context, NCCL's channels and kernels of one rank: about what they take on a GPU. */
const perRankBytes = 2 ** 30;
/** Two buffers of 256 MiB to move on through. */
const rotationBytes = 2 ** 29;
/** Twin: largeDeviceBuffersBytes in suites/sampling.ts. */
const releasedBytes = 2 ** 30;

/**
 * Every launch stays open to the end and keeps its small buffers; large ones are held by one launch at a time.
 * @throws Refusal when the GPU with the least memory has too little
 */
export function requireGpuMemory(plan: RunPlan, { gpus, ranks }: Crew): void {
  const least = Math.min(...gpus.map(({ memoryBytes }) => memoryBytes).filter((bytes) => bytes > 0));
  if (!Number.isFinite(least) || plan.points.length === 0) return;
  const perRank = plan.points.map((point) => rankBytes(plan, point));
  const sharing = Math.ceil(ranks / gpus.length);
  const kept = perRank.filter((bytes) => bytes < releasedBytes);
  const rotation = plan.settings.cache === 'hot' ? 0 : rotationBytes;
  const launches = plan.sampling.launches * plan.transports.length;
  const largest = perRank.reduce((a, b) => Math.max(a, b), 0);
  const standing = sharing * launches * (perRankBytes + kept.reduce((a, b) => Math.max(a, b), rotation));
  const gpu = gpus[0]?.name ?? 'GPU';
  if (sharing * (largest + perRankBytes) > least) {
    throw refuse('gpu-memory-per-size', { needs: sharing * largest, gpu, has: least });
  }
  const needs = standing + sharing * largest;
  if (needs > least) throw refuse('gpu-memory-of-launches', { launches, needs, gpu, has: least });
}

/** What explains a difference between runs, as run.json keeps it; `nccl.sha256` is added by who can read the file. */
export function versionsIn(facts: Facts, gpus: readonly Gpu[]): Record<string, string> {
  const told: [string, string | undefined][] = [
    ['nccl', facts['nccl.version']],
    ['nccl.path', facts['nccl.path']],
    ['nccl.how', facts['nccl.how']],
    ['driver', facts['driver.release']],
    ['driver.cuda', facts['driver.version']],
    ['nvrtc', facts['nvrtc.path'] ?? facts['nvrtc.missing']],
    ['gpus', gpusText(gpus)],
  ];
  return Object.fromEntries(told.filter((one): one is [string, string] => one[1] !== undefined));
}

/** Variables that a rank of this transport gets, in the order of their names. */
export function environmentIn({ facts = {} }: TransportCapability): [string, string][] {
  return Object.entries(facts)
    .filter(([name]) => name.startsWith('env.'))
    .map(([name, value]): [string, string] => [name.slice('env.'.length), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
