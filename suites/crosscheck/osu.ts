// Which sizes of OSU's sweep our engine measures, too, and how OSU is asked for them.
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { collectives, dtypeBytes, isCollective } from '../../results/schema/index.ts';
import { sizeText } from '../../results/units.ts';
import { type CrosscheckSizes, iterations, operationOf, samples } from './plan.ts';

/** Our name of a collective, OSU's name of its program. */
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

/** OSU's default limit of its buffers, bytes. */
const usualMemory = 2 ** 29;

/** OSU's size column is one rank's part where a collective moves one part per rank; of reduce-scatter it is all. */
export const osuParts = (collective: CollectiveName, ranks: number): number =>
  collective === 'reducescatter' ? 1 : collectives[collective].parts(ranks);

type OsuSizeOptions = Pick<CrosscheckOptions, 'min' | 'max' | 'factor' | 'dtype'>;

/** OSU's first size: a power of two that holds an element. */
function firstOf(collective: CollectiveName, { min, dtype }: OsuSizeOptions, ranks: number): number {
  const least = Math.max(dtypeBytes[dtype], min / osuParts(collective, ranks));
  return 2 ** Math.ceil(Math.log2(least));
}

/** Payloads, rising. OSU doubles from its first size: `factor` is a power of two. */
export function osuSizes(collective: CollectiveName, asked: OsuSizeOptions, ranks: number): CrosscheckSizes {
  const parts = osuParts(collective, ranks);
  const found: CrosscheckSizes = { sizes: [], skipped: [] };
  for (let size = firstOf(collective, asked, ranks); size * parts <= asked.max; size *= asked.factor) {
    const isEven = collective !== 'reducescatter' || size % (ranks * dtypeBytes[asked.dtype]) === 0;
    if (isEven) found.sizes.push(size * parts);
    else {
      const reason = `${sizeText(size)} are no whole elements for each of ${ranks} ranks`;
      found.skipped.push({ requestedBytes: size, reason });
    }
  }
  return found;
}

/** Arguments of OSU. @param takesType it has -T, and is told the data type where it reduces */
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
    ...['-i', String(samples * iterations), '-x', String(iterations)],
    ...(takesType && isReducing ? ['-T', 'mpi_float'] : []),
  ];
}
