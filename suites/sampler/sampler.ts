import type { BlockRecord, BlockRequest, StopReason, TrialName } from '../../results/schema/index.ts';

/** A cell of which nothing more is measured. */
export interface CompletedCell {
  /** Indices into the plan. */
  point: number;
  transport: number;
  /** Why, by trial; empty where the number of blocks was fixed. */
  stopped: Partial<Record<TrialName, StopReason>>;
}

/**
 * What a run measures, block by block: the next is asked for when the one before has been measured and told to `take`.
 * There is no clock inside: `atS` are seconds since the run began, from whoever has one.
 */
export interface BlockSampler extends IterableIterator<BlockRequest> {
  /**
   * @param completesCell as the session said of this record
   * @returns cells that are complete by it
   */
  take(record: BlockRecord, completesCell: boolean, atS: number): CompletedCell[];
  /** The next block waits so many seconds, which are none of what it takes. */
  paused(seconds: number): void;
  /** Visits of a point in a launch: those that are over, and all as far as they are known. */
  readonly progress: { done: number; total: number };
  /** Seconds to go; null = nothing can be said yet. */
  leftS(atS: number): number | null;
}
