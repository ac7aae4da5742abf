import type { BlockRecord, BlockRequest, StopReason, TrialName } from '../../results/schema/index.ts';

/** A cell (one point over one transport) that needs no more blocks. */
export interface CompletedCell {
  /** Indices into plan.points and plan.transports. */
  point: number;
  transport: number;
  /** Reason for the end of sampling, by trial; empty with a fixed number of blocks. */
  stopped: Partial<Record<TrialName, StopReason>>;
}

/**
 * Gives the blocks of a run one by one. The next block is requested after the previous block was measured and passed to `take`.
 * The sampler has no clock of its own: `atS` is the time in seconds since the start of the run.
 */
export interface BlockSampler extends IterableIterator<BlockRequest> {
  /**
   * Receives a measured block.
   * @param completesCell value of BlockRequest.completesCell, with which the block was requested
   * @returns cells that are complete with this block
   */
  take(record: BlockRecord, completesCell: boolean, atS: number): CompletedCell[];
  /** Reports a pause before the next block; the pause does not count as the block's duration. */
  paused(seconds: number): void;
  /** Number of finished slots (one point in one launch of each transport), and of all slots known so far. */
  readonly progress: { done: number; total: number };
  /** Estimated seconds to the end of the run; null = unknown. */
  leftS(atS: number): number | null;
}
