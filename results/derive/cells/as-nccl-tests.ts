import { mean, median } from 'simple-statistics';
import type { BlockRecord } from '../../schema/index.ts';

/**
 * Time of one operation as nccl-tests computes it by default (`-a 1`): elapsed time of a batch of queued calls divided by
 * their number, mean over ranks. collbench's own headline is the time of the slowest rank (headline.ts).
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
