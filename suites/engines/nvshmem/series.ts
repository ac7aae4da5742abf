import { type CollectiveName, isCollective } from '../../../results/schema/index.ts';
import { type SeriesSelection, seriesAmong } from '../named-series.ts';

/** Collectives that each algorithm of the nvshmem engine supports. Keys are values of --algo (native/engines/nvshmem/offers.h). */
const algorithms = {
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

type NvshmemAlgorithm = keyof typeof algorithms;
/**
 * Values of --algo for the nvshmem engine. `auto` takes the algorithm that was fastest during tuning. With names that begin with
 * nccl, NCCL itself runs the operation.
 */
export const nvshmemAlgorithmOptions = ['auto', ...(Object.keys(algorithms) as NvshmemAlgorithm[])] as const;
export type NvshmemAlgorithmName = (typeof nvshmemAlgorithmOptions)[number];

const isOwn = (word: string): word is NvshmemAlgorithmName =>
  nvshmemAlgorithmOptions.some((own) => own === word);

const has = (algorithm: NvshmemAlgorithm, command: string): boolean => {
  const known: readonly string[] = algorithms[algorithm];
  return known.includes(command);
};

function reasonAgainst(command: string, word: string): string | null {
  if (!isOwn(word)) return `an algorithm of NCCL alone; take nccl, nccl-ring or nccl-symmetric`;
  if (word === 'auto' || has(word, command)) return null;
  // Message commands always use a put with signal, so they have no algorithms. NCCL uses its own method.
  if (!isCollective(command)) return word === 'nccl' ? null : `${command} has no algorithm to choose`;
  const others = (Object.keys(algorithms) as NvshmemAlgorithm[]).filter((other) => has(other, command));
  return `there is none for ${command}, only ${others.join(', ')}`;
}

/** Makes a series for each algorithm name in `words`; `leftOut` has the names that the command cannot use, with the reasons. */
export const seriesOf = (command: string, words: readonly string[]): SeriesSelection =>
  seriesAmong(words, nvshmemAlgorithmOptions, (word) => reasonAgainst(command, word));
