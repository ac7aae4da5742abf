// Times of one operation as other programs compute them, for comparisons with their output.
import { mean, median } from 'simple-statistics';
import type { BlockRecord } from '../../schema/index.ts';

/**
 * Time of one operation as nccl-tests computes it by default (`-a 1`): elapsed time of a batch of queued calls divided by
 * their number, mean over ranks. collbench's own main time is that of the slowest rank (operation-times.ts).
 * @param blocks blocks of one cell; other trials than pipelined are ignored
 * @returns ns, median over samples; null without pipelined samples
 */
export function asNcclTests(blocks: readonly BlockRecord[]): number | null {
  const samples = blocks
    .filter(({ trial }) => trial === 'pipelined')
    .flatMap(({ startNs, endNs, batch }) =>
      (endNs[0] ?? []).map((_, sample) => {
        const elapsed = endNs.map((rank, i) => (rank[sample] as number) - (startNs[i]?.[sample] as number));
        return mean(elapsed) / batch;
      }),
    );
  return samples.length === 0 ? null : median(samples);
}

/**
 * Time of one operation as OSU's collectives compute their average: each rank's own time of a single call, mean over calls and
 * ranks. OSU starts after a barrier, collbench at a common instant. Calls for which any rank missed this instant are left out.
 * @param blocks blocks of one cell; other trials than isolated are ignored
 * @returns ns; null without isolated samples, or if in each of them a rank missed the instant
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
