import type { BlockRecord, BlockRequest, StopReason, TrialName } from '../../results/schema/index.ts';

/** A configuration (message size and other parameters over one transport) that needs no more measurements. */
export interface CompletedCell {
  /** Indices into plan.points and plan.transports. */
  point: number;
  transport: number;
  /** Reason why sampling ended, for each timing mode (isolated, pipelined); empty with a fixed number of blocks. */
  stopped: Partial<Record<TrialName, StopReason>>;
}

/**
 * Chooses what a run measures next: `next` returns a block (a series of samples of one configuration in one launch), or `done` if
 * nothing is left to measure. The caller measures the block, passes its samples to `take`, and only then requests the next one.
 * The sampler has no clock of its own: `atS` is the time in seconds since the start of the run.
 */
export interface BlockSampler extends IterableIterator<BlockRequest> {
  /**
   * Receives the samples of a block that this sampler requested.
   * @param completesCell the field of the same name in the request
   * @param atS seconds since the start of the run
   * @returns configurations that need no more blocks after this one
   */
  take(record: BlockRecord, completesCell: boolean, atS: number): CompletedCell[];
  /** Reports a pause of this many seconds before the next block; the sampler does not count it as part of the block. */
  paused(seconds: number): void;
  /**
   * Progress of the run. Adaptive sampling counts slots (one message size in one launch of each transport), and `total` can grow.
   * With fixed counts `done` and `total` are numbers of blocks.
   */
  readonly progress: { done: number; total: number };
  /** Estimated seconds to the end of the run; null = unknown. @param atS seconds since the start of the run */
  leftS(atS: number): number | null;
}
