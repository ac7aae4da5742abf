import type { BlockRecord, BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { estimateBlockNs } from '../costs.ts';
import type { BlockSampler, CompletedCell } from './sampler.ts';

/** Sampler for fixed counts (such as --iters): requests the planned blocks (series of samples) one by one, in planned order. */
export class FixedSampler implements BlockSampler {
  private readonly blocks: readonly BlockRequest[];
  /** Estimated nanoseconds of each block, in the order of the blocks. */
  private readonly costs: readonly number[];
  private readonly total: number;
  private index = 0;
  private done = 0;

  constructor(plan: RunPlan, blocks: readonly BlockRequest[]) {
    this.blocks = blocks;
    this.costs = blocks.map((block) => {
      const point = plan.points[block.point];
      return point === undefined ? 0 : estimateBlockNs(plan, point, block.transport, block);
    });
    this.total = this.costs.reduce((sum, cost) => sum + cost, 0);
  }

  next(): IteratorResult<BlockRequest> {
    const value = this.blocks[this.index];
    if (value === undefined) return { done: true, value: undefined };
    this.done += this.costs[this.index - 1] ?? 0;
    this.index += 1;
    return { done: false, value };
  }

  take({ point, transport }: BlockRecord, completesCell: boolean): CompletedCell[] {
    return completesCell ? [{ point, transport, stopped: {} }] : [];
  }

  paused(): void {}

  leftS(atS: number): number | null {
    return this.done === 0 ? null : (atS / this.done) * (this.total - this.done);
  }

  get progress(): { done: number; total: number } {
    return { done: Math.max(0, this.index - 1), total: this.blocks.length };
  }

  [Symbol.iterator](): this {
    return this;
  }
}
