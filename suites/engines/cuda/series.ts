import { type CollectiveName, isCollective } from '../../../results/schema/index.ts';
import { algorithmsFor, type SeriesSelection, seriesAmong } from '../named-series.ts';

const moved = ['allgather', 'reducescatter', 'broadcast', 'alltoall'] as const;

/** Collectives that each algorithm of the cuda engine can run over transport p2p. Keys are values of --algo. */
export const cudaAlgorithms = {
  'one-shot': ['allreduce'],
  'two-shot': ['allreduce'],
  loads: ['allreduce'],
  staged: ['allreduce'],
  packets: moved,
  direct: moved,
} as const satisfies Record<string, readonly CollectiveName[]>;

/** Values of --algo for the cuda engine; with `auto` the engine takes the algorithm that was fastest when measured on H200 GPUs. */
export const cudaAlgorithmOptions = ['auto', ...Object.keys(cudaAlgorithms)];

function reasonAgainst(command: string, word: string): string | null {
  const known = algorithmsFor(cudaAlgorithms, command);
  if (word === 'auto' || known.includes(word)) return null;
  if (!isCollective(command)) return `${command} has no algorithm to choose`;
  return `${command} has only ${known.join(', ')}`;
}

/** Makes a series for each algorithm name in `words`; `leftOut` has the names that the command cannot use, with the reasons. */
export const seriesOf = (command: string, words: readonly string[]): SeriesSelection =>
  seriesAmong(words, cudaAlgorithmOptions, (word) => reasonAgainst(command, word));
