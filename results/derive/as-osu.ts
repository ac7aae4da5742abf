import { mean } from 'simple-statistics';
import type { BlockRecord } from '../schema/index.ts';

/**
 * One operation as OSU's collectives compute their average: each rank's own time of a call alone, mean over calls, mean
 * over ranks. Theirs begins after a barrier, ours at a common instant; calls that a rank came late to are left out.
 * @param blocks of one cell; those of other trials are left out
 * @returns ns; null without isolated samples
 */
export function asOsu(blocks: readonly BlockRecord[]): number | null {
  const times = blocks
    .filter(({ trial }) => trial === 'isolated')
    .flatMap(({ startNs, endNs, late }) =>
      endNs.flatMap((rank, i) =>
        rank.flatMap((end, sample) =>
          late.some((of) => of[sample] === 1) ? [] : end - (startNs[i]?.[sample] as number),
        ),
      ),
    );
  return times.length === 0 ? null : mean(times);
}
