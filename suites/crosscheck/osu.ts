// The message sizes of OSU programs that collbench can measure, too, and the arguments of the OSU programs.
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { collectives, dtypeBytes, isCollective } from '../../results/schema/index.ts';
import { sizeText } from '../../results/units.ts';
import { type CrosscheckSizes, callsPerSample, operationOf, samples } from './plan.ts';

/** Name of the OSU benchmark program by collective of collbench. Collectives that are missing are not compared with OSU. */
export const osuPrograms: Record<string, string> = {
  allreduce: 'osu_allreduce',
  allgather: 'osu_allgather',
  reducescatter: 'osu_reduce_scatter',
  alltoall: 'osu_alltoall',
  broadcast: 'osu_bcast',
  reduce: 'osu_reduce',
  gather: 'osu_gather',
  scatter: 'osu_scatter',
};

export const osuComparable: readonly CollectiveName[] = Object.keys(osuPrograms).filter(isCollective);

/** OSU's default limit (-M) for the memory of a rank's buffers, bytes. */
const usualMemory = 2 ** 29;

/**
 * Ratio of collbench's payload (bytes) to the number in OSU's size column. OSU's size is one part of the payload, so the ratio is
 * the number of parts: 1 for allreduce, the number of ranks for allgather. For reduce-scatter OSU's size is the whole payload.
 */
const osuParts = (collective: CollectiveName, ranks: number): number =>
  collective === 'reducescatter' ? 1 : collectives[collective].parts(ranks);

type OsuSizeOptions = Pick<CrosscheckOptions, 'min' | 'max' | 'factor' | 'dtype'>;

/**
 * OSU's first size in bytes: the lowest power of two that holds at least one element and, as collbench's payload, at least `min`
 * bytes.
 */
function firstOf(collective: CollectiveName, { min, dtype }: OsuSizeOptions, ranks: number): number {
  const least = Math.max(dtypeBytes[dtype], min / osuParts(collective, ranks));
  return 2 ** Math.ceil(Math.log2(least));
}

/**
 * Sizes from `min` to `max` that both OSU and collbench can measure, as collbench's payload in bytes; empty if there are none.
 * `skipped` has the other sizes, as OSU's size in bytes, with the reason. The caller must have checked that `factor` is a power of
 * two, because OSU doubles its sizes.
 * @param ranks number of all ranks
 */
export function osuSizes(
  collective: CollectiveName,
  options: OsuSizeOptions,
  ranks: number,
): CrosscheckSizes {
  const parts = osuParts(collective, ranks);
  const found: CrosscheckSizes = { sizes: [], skipped: [] };
  for (let size = firstOf(collective, options, ranks); size * parts <= options.max; size *= options.factor) {
    const isEven = collective !== 'reducescatter' || size % (ranks * dtypeBytes[options.dtype]) === 0;
    if (isEven) found.sizes.push(size * parts);
    else {
      const reason = `${sizeText(size)} are no whole elements for each of ${ranks} ranks`;
      found.skipped.push({ requestedBytes: size, reason });
    }
  }
  return found;
}

/**
 * Arguments of the OSU program, each option and each value as a word of its own: sizes, limit of memory, numbers of timed and
 * untimed calls, data type.
 * @param options sizes (bytes), data type and reduction operator of the crosscheck
 * @param ranks number of all ranks
 * @param takesType true if the program has option -T, which sets the data type of a reduction
 */
export function osuArguments(
  collective: CollectiveName,
  options: OsuSizeOptions & Pick<CrosscheckOptions, 'op'>,
  ranks: number,
  takesType: boolean,
): string[] {
  const last = Math.floor(options.max / osuParts(collective, ranks));
  const isReducing = operationOf(collective, options).op !== null;
  return [
    ...['-m', `${firstOf(collective, options, ranks)}:${last}`],
    ...['-M', String(Math.max(usualMemory, 4 * options.max))],
    ...['-i', String(samples * callsPerSample), '-x', String(callsPerSample)],
    ...(takesType && isReducing ? ['-T', 'mpi_float'] : []),
  ];
}
