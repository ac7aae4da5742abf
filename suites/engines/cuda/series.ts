import { type CollectiveName, isCollective } from '../../../results/schema/index.ts';
import { type SeriesSelection, seriesAmong } from '../named-series.ts';

const moved = ['allgather', 'reducescatter', 'broadcast', 'alltoall'] as const;

/** Collectives that each algorithm of the cuda engine can run over transport p2p. Keys are values of --algo. */
const algorithms = {
  'one-shot': ['allreduce'],
  'two-shot': ['allreduce'],
  loads: ['allreduce'],
  staged: ['allreduce'],
  packets: moved,
  direct: moved,
} as const satisfies Record<string, readonly CollectiveName[]>;

type CudaAlgorithm = keyof typeof algorithms;
const names = Object.keys(algorithms) as CudaAlgorithm[];
/** Values of --algo for the cuda engine; with `auto` the engine takes the algorithm that was fastest when measured on H200 GPUs. */
export const cudaAlgorithmOptions = ['auto', ...names] as const;

const has = (algorithm: CudaAlgorithm, command: string): boolean => {
  const known: readonly string[] = algorithms[algorithm];
  return known.includes(command);
};

function reasonAgainst(command: string, word: string): string | null {
  if (word === 'auto') return null;
  const known = names.find((name) => name === word);
  if (known !== undefined && has(known, command)) return null;
  if (!isCollective(command)) return `${command} has no algorithm to choose`;
  return `${command} has only ${names.filter((name) => has(name, command)).join(', ')}`;
}

/** Makes a series for each algorithm name in `words`; `leftOut` has the names that the command cannot use, with the reasons. */
export const seriesOf = (command: string, words: readonly string[]): SeriesSelection =>
  seriesAmong(words, cudaAlgorithmOptions, (word) => reasonAgainst(command, word));
