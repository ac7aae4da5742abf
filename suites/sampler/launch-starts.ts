// Counts which launches (starts of all rank processes) of a run were started, and how long starts take.
import type { BlockRecord, BlockRequest } from '../../results/schema/index.ts';

const keyOf = ({ transport, launch }: Pick<BlockRequest, 'transport' | 'launch'>): string =>
  `${transport} ${launch}`;

export class LaunchStarts {
  private readonly started = new Set<string>();
  /** Number of launches in the plan, all transports together. */
  private readonly due: number;
  /** Estimated seconds of one start. */
  private readonly estimateS: number;
  /** Seconds spent on starting launches since the start of the run. */
  private spentS = 0;

  /** @param blocks blocks of the plan @param estimateS estimated seconds to start one launch */
  constructor(blocks: readonly BlockRequest[], estimateS: number) {
    this.due = new Set(blocks.map(keyOf)).size;
    this.estimateS = estimateS;
  }

  /** Number of launches started so far. */
  get count(): number {
    return this.started.size;
  }

  /**
   * Adds a measured block. If it is the first one of its launch, its time counts as the time of the start.
   * @param costS seconds of the block, in which its launch may have started; null = unknown, and the estimate counts
   * @returns seconds of the start; null if the launch was started before
   */
  add(block: BlockRecord, costS: number | null): number | null {
    const key = keyOf(block);
    if (this.started.has(key)) return null;
    this.started.add(key);
    const startS = costS ?? this.estimateS;
    this.spentS += startS;
    return startS;
  }

  /** Seconds to start the rank processes of one launch: the mean of the starts so far, or the estimate before any start. */
  get eachS(): number {
    return this.started.size === 0 ? this.estimateS : this.spentS / this.started.size;
  }

  /** Estimated seconds to start the planned launches that have not been started yet. */
  get leftS(): number {
    return Math.max(0, this.due - this.started.size) * this.eachS;
  }

  /** Estimated seconds to start the launches to which these blocks belong, without launches that are already started. */
  neededS(blocks: readonly BlockRequest[]): number {
    const keys = new Set(blocks.map(keyOf));
    return [...keys].filter((key) => !this.started.has(key)).length * this.eachS;
  }
}
