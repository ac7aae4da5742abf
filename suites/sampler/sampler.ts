import type { BlockRecord, BlockRequest, StopReason, TrialName } from '../../results/schema/index.ts';

/** A cell that needs no more blocks. */
export interface CompletedCell {
  /** Indices into plan.points and plan.transports. */
  point: number;
  transport: number;
  /** Reason for the end of each trial; empty with fixed counts. */
  stopped: Partial<Record<TrialName, StopReason>>;
}

/**
 * Gives the blocks of a run one by one: the next block is requested after the previous one was measured and passed to `take`.
 * Has no clock of its own; `atS` is seconds since the start of the run.
 */
export interface BlockSampler extends IterableIterator<BlockRequest> {
  /**
   * Receives a measured block.
   * @param completesCell value that the session received with this block
   * @returns cells that are complete with this block
   */
  take(record: BlockRecord, completesCell: boolean, atS: number): CompletedCell[];
  /** The next block is delayed by this time, which does not count as its duration. */
  paused(seconds: number): void;
  /** Number of finished slots, and of all slots known so far. */
  readonly progress: { done: number; total: number };
  /** Estimated seconds to the end; null = unknown. */
  leftS(atS: number): number | null;
}
