import { mean } from 'simple-statistics';
import type { BlockRecord } from '../../schema/index.ts';

/**
 * Time of one operation as OSU's collectives compute their average: each rank's own time of a single call, mean over calls
 * and ranks. OSU starts after a barrier, collbench at a common instant. Calls for which any rank was late are left out.
 * @param blocks blocks of one cell; other trials than isolated are ignored
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
