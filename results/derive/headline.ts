import type { BlockRecord } from '../schema/index.ts';

export interface Headlines {
  /** One figure per sample that counts, ns of one operation, in time order. */
  ns: number[];
  /** Samples measured, and how many of them some rank was late for (isolated only; these are not in `ns`). */
  measured: number;
  late: number;
}

/** Share of a figure by which a late start may move it and still count: a fifth of the default precision. */
const tolerableLateness = 0.002;

/**
 * How the samples of all ranks become one series of figures (stats.md R2 to R4).
 * - isolated: max over ranks of end, minus the common start; samples in which a rank missed the common start by more
 *   than `tolerableLateness` of the figure are counted and left out. A smaller miss cannot move the figure by more than
 *   that, and leaving out a 1 s operation for 2 us would only lose evidence.
 * - pipelined: max over ranks of (end - start), divided by the batch; a mean of `batch` operations, as nccl-tests gives.
 */
export function headlines(block: BlockRecord): Headlines {
  const ns: number[] = [];
  let late = 0;
  const measured = block.commonStartNs.length;
  for (let sample = 0; sample < measured; sample += 1) {
    let slowest = Number.NEGATIVE_INFINITY;
    for (let rank = 0; rank < block.endNs.length; rank += 1) {
      const from = block.trial === 'isolated' ? block.commonStartNs[sample] : block.startNs[rank]?.[sample];
      const elapsed = (block.endNs[rank]?.[sample] as number) - (from as number);
      if (elapsed > slowest) slowest = elapsed;
    }
    const latenessNs = Math.max(
      ...block.late.map((rank, index) =>
        rank[sample] === 0
          ? 0
          : (block.startNs[index]?.[sample] as number) - (block.commonStartNs[sample] as number),
      ),
    );
    if (block.trial === 'isolated' && latenessNs > tolerableLateness * slowest) {
      late += 1;
      continue;
    }
    ns.push(block.trial === 'isolated' ? slowest : slowest / block.batch);
  }
  return { ns, measured, late };
}

/**
 * Spread of the ranks' real starts in one block, ns: median over samples of latest minus earliest start; 0 without
 * samples.
 */
export function startSpreadNs(block: BlockRecord): number {
  const spreads = block.commonStartNs.map((_, sample) => {
    const starts = block.startNs.map((rank) => rank[sample] as number);
    return Math.max(...starts) - Math.min(...starts);
  });
  spreads.sort((a, b) => a - b);
  return spreads[Math.floor(spreads.length / 2)] ?? 0;
}
