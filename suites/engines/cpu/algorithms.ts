import type { CollectiveName } from '../../../results/schema/index.ts';

const reducedOrSpread = ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce'] as const;

/** Collectives that each algorithm of the cpu engine can run. Keys are values of --algo. */
export const cpuAlgorithms = {
  direct: [...reducedOrSpread, 'alltoall', 'alltoallv', 'gather', 'scatter', 'sendrecv'],
  ring: reducedOrSpread,
  'recursive-doubling': ['allreduce', 'allgather', 'hypercube'],
  'halving-doubling': ['allreduce', 'reducescatter'],
  bruck: ['allgather', 'alltoall'],
  binomial: ['broadcast', 'reduce'],
  'double-binary-tree': ['allreduce', 'broadcast', 'reduce'],
} as const satisfies Record<string, readonly CollectiveName[]>;

/**
 * Collectives that an algorithm can run only with a power of two ranks. Keys are values of --algo; an algorithm without entry has
 * no such limit.
 */
export const forPowersOfTwo: Partial<Record<string, readonly CollectiveName[]>> = {
  'recursive-doubling': ['allgather', 'hypercube'],
  'halving-doubling': ['reducescatter'],
};

/**
 * Scratch memory of a rank besides its send and receive buffers, as a multiple of payload / ranks. Only reduce-scatter by
 * halving-doubling, and allgather and alltoall by bruck have any. All others give 0, because the engine processes them piece by
 * piece, so that their scratch memory does not grow with the payload.
 * @param algorithm value of --algo
 */
export function scratchParts(algorithm: string, collective: string, ranks: number): number {
  if (algorithm === 'halving-doubling' && collective === 'reducescatter') return ranks - 1;
  if (algorithm !== 'bruck') return 0;
  if (collective === 'allgather') return ranks;
  if (collective !== 'alltoall') return 0;
  // Memory for the data of all ranks, and twice for the data sent in each exchange. The data for the rank at a distance are sent in
  // one exchange per bit that is set in the distance.
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

export const cpuAlgorithmNames = Object.keys(cpuAlgorithms);
/** Values of --algo for the cpu engine; with `auto` the engine chooses by message size and number of ranks. */
export const cpuAlgorithmOptions = ['auto', ...cpuAlgorithmNames];
