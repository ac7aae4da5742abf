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

/**
 * Scratch memory of a rank beside its buffers, in parts (each what one rank gives or gets), of collectives that are not cut
 * into pieces: as native/engines/cpu/algorithms plans it. Where a vector is cut, scratch stays below a fixed size.
 */
export function scratchParts(algorithm: string, collective: string, ranks: number): number {
  if (algorithm === 'halving-doubling' && collective === 'reducescatter') return ranks - 1;
  if (algorithm !== 'bruck') return 0;
  if (collective === 'allgather') return ranks;
  if (collective !== 'alltoall') return 0;
  // All parts, and those of each exchange twice: a part goes by each exchange whose bit its distance has.
  let sent = 0;
  for (let distance = 1; distance < ranks; distance++)
    for (let rest = distance; rest > 0; rest >>= 1) sent += rest & 1;
  return ranks + 2 * sent;
}

/** One hop connects all with all up to so many (native/engines/cpu/peer_set.h); `sendrecv` needs its neighbours only. */
export const maxOneHopRanks = 64;

export type CpuAlgorithm = keyof typeof cpuAlgorithms;
export const cpuAlgorithmNames = Object.keys(cpuAlgorithms) as CpuAlgorithm[];
/** `auto` is chosen by size and ranks (native/engines/cpu/tuning.cc). */
export const cpuAlgorithmOptions = ['auto', ...cpuAlgorithmNames] as const;
