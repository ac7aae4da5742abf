import type { CollectiveName } from '../../../results/schema/index.ts';

const reducedOrSpread = ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce'] as const;

/**
 * Collectives that each algorithm of the cpu engine supports, by its name on the command line (native/engines/cpu/algorithms).
 */
export const cpuAlgorithms = {
  direct: [...reducedOrSpread, 'alltoall', 'alltoallv', 'gather', 'scatter', 'sendrecv'],
  ring: reducedOrSpread,
  'recursive-doubling': ['allreduce', 'allgather', 'hypercube'],
  'halving-doubling': ['allreduce', 'reducescatter'],
  bruck: ['allgather', 'alltoall'],
  binomial: ['broadcast', 'reduce'],
  'double-binary-tree': ['allreduce', 'broadcast', 'reduce'],
} as const satisfies Record<string, readonly CollectiveName[]>;

/** Collectives for which an algorithm works only with a power of two ranks, by the name of the algorithm. */
export const forPowersOfTwo: Partial<Record<string, readonly CollectiveName[]>> = {
  'recursive-doubling': ['allgather', 'hypercube'],
  'halving-doubling': ['reducescatter'],
};

/**
 * Scratch memory of a rank besides its send and receive buffers, in parts (one part = the data of one rank). The values match
 * native/engines/cpu/algorithms. Collectives that are cut into pieces return 0, because their scratch memory has a fixed limit.
 */
export function scratchParts(algorithm: string, collective: string, ranks: number): number {
  if (algorithm === 'halving-doubling' && collective === 'reducescatter') return ranks - 1;
  if (algorithm !== 'bruck') return 0;
  if (collective === 'allgather') return ranks;
  if (collective !== 'alltoall') return 0;
  // All parts, and twice those of each exchange. A part takes part in each exchange whose bit is set in its distance.
  let sent = 0;
  for (let distance = 1; distance < ranks; distance++)
    for (let rest = distance; rest > 0; rest >>= 1) sent += rest & 1;
  return ranks + 2 * sent;
}

/**
 * Maximum number of ranks for algorithms that connect every rank to every other (native/engines/cpu/peer_set.h). `sendrecv` has
 * no limit, because each rank connects only to its neighbours.
 */
export const maxOneHopRanks = 64;

export type CpuAlgorithm = keyof typeof cpuAlgorithms;
export const cpuAlgorithmNames = Object.keys(cpuAlgorithms) as CpuAlgorithm[];
/** Algorithm names on the command line; `auto` chooses by size and number of ranks (native/engines/cpu/tuning.cc). */
export const cpuAlgorithmOptions = ['auto', ...cpuAlgorithmNames] as const;
