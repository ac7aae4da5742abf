// The configurations that the adaptive sampler has begun to measure, one per point and transport.
import { type BlockRequest, type RunPlan, skewNsOf, timedTrialNames } from '../../results/schema/index.ts';
import { estimateOperationNs, sampleCell } from '../block-shapes.ts';
import { estimateBlockNs } from '../costs.ts';
import { isSameLaunch } from '../schedule.ts';
import { CellInProgress, OtherSizes, TrialInProgress } from './cell.ts';
import type { SamplingSlot } from './slots.ts';

export class BegunCells {
  private readonly plan: RunPlan;
  private readonly others = new OtherSizes();
  /** Configurations, one per transport; the key is the index of their point in plan.points. */
  private readonly cells = new Map<number, CellInProgress[]>();

  constructor(plan: RunPlan) {
    this.plan = plan;
  }

  /**
   * Creates the configurations of the slots, except those of points that are begun already.
   * @throws {RangeError} if the plan does not have a point
   */
  begin(slots: readonly SamplingSlot[]): void {
    for (const { point, blocks } of slots) {
      if (this.cells.has(point)) continue;
      const transports = [...new Set(blocks.map(({ transport }) => transport))];
      this.cells.set(
        point,
        transports.map((transport) => this.open(point, transport)),
      );
    }
  }

  private open(index: number, transport: number): CellInProgress {
    const point = this.plan.points[index];
    if (point === undefined) throw new RangeError(`no point ${index} in the plan`);
    const operationNs = estimateOperationNs(this.plan, point, transport);
    const { blocks, release } = sampleCell(this.plan, point, transport, 1);
    const trials = timedTrialNames.flatMap((trial) => {
      const block = blocks.find((one) => one.trial === trial);
      if (block === undefined) return [];
      const estimateS = estimateBlockNs(this.plan, point, transport, block) / 1e9;
      return [new TrialInProgress(trial, estimateS, operationNs, skewNsOf(this.plan.transports[transport]))];
    });
    return new CellInProgress(index, transport, trials, release);
  }

  /** Configurations of the point with this index, one per transport; empty if the point is not begun. */
  ofPoint(point: number): CellInProgress[] {
    return this.cells.get(point) ?? [];
  }

  find(point: number, transport: number): CellInProgress | undefined {
    return this.ofPoint(point).find((cell) => cell.transport === transport);
  }

  /**
   * The configuration whose timing mode (isolated or pipelined) gets its first samples from the block; undefined if that mode
   * already has samples, or the configuration is not begun.
   */
  begunBy({ point, transport, trial }: BlockRequest): CellInProgress | undefined {
    const cell = this.find(point, transport);
    const own = cell?.trials.find((one) => one.trial === trial);
    return own?.sampling.launches.size === 0 ? cell : undefined;
  }

  /**
   * Returns the blocks with `release` true on the last of consecutive blocks of one launch, if its buffers are large, and false on
   * all others. So large buffers are freed before another launch allocates its own.
   */
  withReleases(blocks: readonly BlockRequest[]): BlockRequest[] {
    return blocks.map((block, i) => {
      const cell = this.find(block.point, block.transport);
      return { ...block, release: cell?.releases === true && !isSameLaunch(block, blocks[i + 1]) };
    });
  }

  /**
   * Launch medians (ns) of the other sizes in the size range of the configuration, one list per size for which remember() was
   * called.
   */
  mediansOfOthers(cell: CellInProgress, { trial }: TrialInProgress): number[][] {
    const at = this.plan.points[cell.point];
    return at === undefined ? [] : this.others.mediansOfOthers(at, cell.transport, trial);
  }

  /** Stores the launch medians of each timing mode that has two launches or more, for the intervals of other sizes. */
  remember(cell: CellInProgress): void {
    const at = this.plan.points[cell.point];
    for (const { trial, sampling } of cell.trials) {
      const medians = sampling.medians();
      if (at !== undefined && medians.length >= 2) this.others.setMedians(at, cell.transport, trial, medians);
    }
  }
}
