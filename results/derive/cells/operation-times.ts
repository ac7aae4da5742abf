import { type BlockRecord, latenessDivisor } from '../../schema/index.ts';

interface UsableTimes {
  /**
   * Time of one operation in ns, for each usable sample of the block, in time order. If a sample is a batch of operations, it is
   * the mean over the batch.
   */
  ns: number[];
  /**
   * Number of all samples of the block. `late`: how many of them are not in `ns`, because a rank started too late (isolated trials
   * only).
   */
  measured: number;
  late: number;
  /** Indices of the usable samples in the block, in the order of `ns`. */
  used: number[];
}

/** Fields of a block (the samples of one configuration in one launch) from which the time of each sample is computed. */
export type BlockTimes = Pick<
  BlockRecord,
  'trial' | 'batch' | 'commonStartNs' | 'startNs' | 'endNs' | 'late' | 'clock' | 'markNs'
>;

/**
 * Combines the samples of all ranks to one series of times (results/README.md, From samples to a figure).
 * - isolated: max over ranks of end, minus the common start. With `--skew` the common start is the instant at which the last rank
 * is due, so the delay is not in the time. A sample in which a rank missed the common start by more than 1/`latenessDivisor` of its
 * time is counted and left out. A smaller delay cannot change the time by more than this share: to drop a 1 s operation for 2 us
 * would only lose samples.
 * - pipelined: max over ranks of (end - start), divided by the batch; a mean of `batch` operations, as nccl-tests gives.
 * - device: (max over ranks of end - max over ranks of start - `markNs`), divided by the batch. `markNs` is the time in ns that
 * recording GPU time stamps adds to one sample. All operations are queued before the ranks release their devices at the same
 * instant, and an extra operation at the start aligns the ranks. A sample begins when its predecessor ended on the last rank; the
 * host queues nothing in between (native/measure/trial.h).
 */
export function operationTimes(block: BlockTimes): UsableTimes {
  if (block.clock === 'device') return deviceOperationTimes(block);
  const ns: number[] = [];
  const used: number[] = [];
  let late = 0;
  const measured = block.commonStartNs.length;
  for (let sample = 0; sample < measured; sample += 1) {
    let slowest = Number.NEGATIVE_INFINITY;
    for (let rank = 0; rank < block.endNs.length; rank += 1) {
      const from = block.trial === 'isolated' ? block.commonStartNs[sample] : block.startNs[rank]?.[sample];
      const elapsed = (block.endNs[rank]?.[sample] as number) - (from as number);
      if (elapsed > slowest) slowest = elapsed;
    }
    if (block.trial === 'isolated' && latenessNs(block, sample) * latenessDivisor > slowest) {
      late += 1;
      continue;
    }
    ns.push(block.trial === 'isolated' ? slowest : slowest / block.batch);
    used.push(sample);
  }
  return { ns, measured, late, used };
}

/**
 * Returns by how many ns the last rank missed the agreed common start of this sample. Only ranks that the block marks as late
 * count; 0 if no rank is late.
 */
function latenessNs(block: BlockTimes, sample: number): number {
  let most = 0;
  for (let rank = 0; rank < block.late.length; rank += 1) {
    if (block.late[rank]?.[sample] === 0) continue;
    const missed = (block.startNs[rank]?.[sample] as number) - (block.commonStartNs[sample] as number);
    if (missed > most) most = missed;
  }
  return most;
}

function deviceOperationTimes(block: BlockTimes): UsableTimes {
  const latest = (times: readonly number[][], sample: number): number =>
    Math.max(...times.map((rank) => rank[sample] as number));
  const ns = block.commonStartNs.map((_, sample) => {
    const elapsed = latest(block.endNs, sample) - latest(block.startNs, sample) - (block.markNs ?? 0);
    return elapsed / block.batch;
  });
  return { ns, measured: ns.length, late: 0, used: [...ns.keys()] };
}

/** Returns the latest minus the earliest start of any rank in a sample, ns. */
const spreadOf = ({ startNs }: BlockTimes, sample: number): number => {
  const starts = startNs.map((rank) => rank[sample] as number);
  return Math.max(...starts) - Math.min(...starts);
};

/**
 * Returns how far apart the ranks started, ns: the median over samples (the upper one of an even number) of latest minus earliest
 * start. 0 without samples, and for blocks timed by GPU clocks, where each operation waits for all ranks to end the operation
 * before.
 */
export function startSpreadNs(block: BlockRecord): number {
  if (block.clock === 'device') return 0;
  const spreads = block.commonStartNs.map((_, sample) => spreadOf(block, sample));
  spreads.sort((a, b) => a - b);
  return spreads[Math.floor(spreads.length / 2)] ?? 0;
}

/**
 * Returns for each usable sample the time from the start of the first rank to the end of the last one (`fromFirst`), and from
 * the start of the first rank to that of the last one (`skew`), ns. The times of a batch are not divided by its size.
 */
export function arrivalsOf(block: BlockTimes): { fromFirst: number[]; skew: number[] } {
  const { used } = operationTimes(block);
  return {
    skew: used.map((sample) => spreadOf(block, sample)),
    fromFirst: used.map(
      (sample) =>
        Math.max(...block.endNs.map((rank) => rank[sample] as number)) -
        Math.min(...block.startNs.map((rank) => rank[sample] as number)),
    ),
  };
}
