import { type CollectiveName, isCollective } from '../../../results/schema/index.ts';
import { algorithmsFor, type SeriesSelection, seriesAmong } from '../named-series.ts';

/** Collectives that each algorithm of the nvshmem engine supports. Keys are values of --algo (native/engines/nvshmem/offers.h). */
export const nvshmemAlgorithms = {
  'one-shot': ['allreduce'],
  'two-shot': ['allreduce'],
  ring: ['allreduce'],
  'simple-ring': ['allreduce'],
  'alternating-rings': ['allreduce'],
  tree: ['allreduce'],
  direct: ['allgather', 'reducescatter', 'broadcast', 'alltoall'],
  nvshmem: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'alltoall'],
  nccl: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'alltoall'],
  'nccl-ring': ['allreduce', 'allgather', 'reducescatter', 'broadcast'],
  'nccl-symmetric': ['allreduce', 'allgather', 'reducescatter'],
} as const satisfies Record<string, readonly CollectiveName[]>;

/**
 * Values of --algo for the nvshmem engine. `auto` takes the algorithm that was fastest during tuning. With names that begin with
 * nccl, NCCL itself runs the operation.
 */
export const nvshmemAlgorithmOptions = ['auto', ...Object.keys(nvshmemAlgorithms)];

function reasonAgainst(command: string, word: string): string | null {
  if (!nvshmemAlgorithmOptions.includes(word))
    return `an algorithm of NCCL alone; take nccl, nccl-ring or nccl-symmetric`;
  const known = algorithmsFor(nvshmemAlgorithms, command);
  if (word === 'auto' || known.includes(word)) return null;
  // Message commands always use a put with signal, so they have no algorithms. NCCL uses its own method.
  if (!isCollective(command)) return word === 'nccl' ? null : `${command} has no algorithm to choose`;
  return `there is none for ${command}, only ${known.join(', ')}`;
}

/** Makes a series for each algorithm name in `words`; `leftOut` has the names that the command cannot use, with the reasons. */
export const seriesOf = (command: string, words: readonly string[]): SeriesSelection =>
  seriesAmong(words, nvshmemAlgorithmOptions, (word) => reasonAgainst(command, word));
