import type { CollectiveName } from '../../../results/schema/index.ts';

const reducedOrSpread = ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce'] as const;

/** By the word of the command line (native/engines/cpu/algorithms), and what has them. */
export const cpuAlgorithms = {
  direct: [...reducedOrSpread, 'alltoall', 'alltoallv', 'gather', 'scatter', 'sendrecv'],
  ring: reducedOrSpread,
  'recursive-doubling': ['allreduce', 'allgather', 'hypercube'],
  'halving-doubling': ['allreduce', 'reducescatter'],
  bruck: ['allgather', 'alltoall'],
  binomial: ['broadcast', 'reduce'],
  'double-binary-tree': ['allreduce', 'broadcast', 'reduce'],
} as const satisfies Record<string, readonly CollectiveName[]>;

/** What only a power of two ranks can take. */
export const forPowersOfTwo: Partial<Record<string, readonly CollectiveName[]>> = {
  'recursive-doubling': ['allgather', 'hypercube'],
  'halving-doubling': ['reducescatter'],
};

/** One hop connects all with all up to so many (native/engines/cpu/reach.h); `sendrecv` needs its neighbours only. */
export const mostOneHopRanks = 64;

export type CpuAlgorithm = keyof typeof cpuAlgorithms;
export const cpuAlgorithmNames = Object.keys(cpuAlgorithms) as CpuAlgorithm[];
/** `auto` is chosen by size and ranks (native/engines/cpu/tuning.cc). */
export const cpuAlgorithmWords = ['auto', ...cpuAlgorithmNames] as const;
