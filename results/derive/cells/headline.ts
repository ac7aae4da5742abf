import type { BlockRecord } from '../../schema/index.ts';

export interface HeadlineTimes {
  /** Times of one operation in ns, one for each sample that is used, in time order. */
  ns: number[];
  /** Number of all samples. `late`: those in which a rank started too late (isolated trials only); `ns` does not contain them. */
  measured: number;
  late: number;
}

/** The fields of a block that are needed to compute the time of each sample. */
export type BlockTimes = Pick<
  BlockRecord,
  'trial' | 'batch' | 'commonStartNs' | 'startNs' | 'endNs' | 'late' | 'clock' | 'markNs'
>;

/**
 * Largest delay of a rank's start with which a sample is still used, as a share of the figure: 0.2 %, a fifth of the default
 * precision.
 */
const tolerableLateness = 0.002;

/**
 * Combines the samples of all ranks to one series of figures (stats.md R2 to R4).
 * - isolated: max over ranks of end, minus the common start. Samples in which a rank missed the common start by more
 * than `tolerableLateness` of the figure are counted and left out. A smaller delay cannot move the figure by more than
 * this share. Leaving out a 1 s operation for 2 us would only lose samples.
 * - pipelined: max over ranks of (end - start), divided by the batch; a mean of `batch` operations, as nccl-tests gives.
 * - device: (max over ranks of end - max over ranks of start - mark), divided by the batch. All operations of a round are
 * queued before the ranks release their devices at the same instant. An extra operation at the start aligns the
 * ranks. A sample begins when its predecessor ended on the last rank, without any launch by the host
 * (native/measure/trial.h).
 */
export function headlines(block: BlockTimes): HeadlineTimes {
  if (block.clock === 'device') return deviceHeadlines(block);
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
    if (block.trial === 'isolated' && latenessNs(block, sample) > tolerableLateness * slowest) {
      late += 1;
      continue;
    }
    ns.push(block.trial === 'isolated' ? slowest : slowest / block.batch);
  }
  return { ns, measured, late };
}

/** Returns how late the latest rank started in this sample, compared with the common start, ns. */
function latenessNs(block: BlockTimes, sample: number): number {
  let most = 0;
  for (let rank = 0; rank < block.late.length; rank += 1) {
    if (block.late[rank]?.[sample] === 0) continue;
    const missed = (block.startNs[rank]?.[sample] as number) - (block.commonStartNs[sample] as number);
    if (missed > most) most = missed;
  }
  return most;
}

function deviceHeadlines(block: BlockTimes): HeadlineTimes {
  const latest = (times: readonly number[][], sample: number): number =>
    Math.max(...times.map((rank) => rank[sample] as number));
  const ns = block.commonStartNs.map((_, sample) => {
    const elapsed = latest(block.endNs, sample) - latest(block.startNs, sample) - (block.markNs ?? 0);
    return elapsed / block.batch;
  });
  return { ns, measured: ns.length, late: 0 };
}

/**
 * Returns how far the ranks' real starts in a block are apart, ns: the median over samples of latest minus earliest start. 0
 * without samples. Also 0 for times of device clocks, because ranks then wait for each other in the operation before.
 */
export function startSpreadNs(block: BlockRecord): number {
  if (block.clock === 'device') return 0;
  const spreads = block.commonStartNs.map((_, sample) => {
    const starts = block.startNs.map((rank) => rank[sample] as number);
    return Math.max(...starts) - Math.min(...starts);
  });
  spreads.sort((a, b) => a - b);
  return spreads[Math.floor(spreads.length / 2)] ?? 0;
}
