import { mean, median } from 'simple-statistics';
import type { BlockRecord } from '../schema/index.ts';

/**
 * One operation as nccl-tests computes its time by default (`-a 1`): elapsed time of a batch of queued calls by their
 * number, mean over ranks. Our own headline is that of the slowest rank (headline.ts).
 * @param blocks of one cell; those of other trials are left out
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
