// Slots beyond the launches of the plan: another launch if there is time, or more time for launches that had too little.
import type { BlockRequest, RunPlan, SamplingPlan } from '../../results/schema/index.ts';
import { type BlockShape, sampleCell } from '../block-shapes.ts';
import type { SamplingBudget } from './budget.ts';
import type { CellInProgress, TrialInProgress } from './cell.ts';
import { limitingFactor } from './precision.ts';
import type { SamplingPass, SamplingSlot } from './slots.ts';

/** Minimum factor by which the number of samples must be expected to grow; otherwise launches get no more measuring time. */
const minGrowth = 1.25;

interface BudgetState {
  atS: number;
  /** Seconds that the start of one launch takes. */
  startS: number;
  /** Cells of the pass just measured that still need samples. */
  open: readonly CellInProgress[];
  /** Number of launches that each cell may have, those of the plan included. */
  launches: number;
  /** Launch number of the next launch that is added; the same for all cells and transports. */
  nextLaunch: number;
  /** True if the launch with this number, over the transport with this index, still has running rank processes. */
  isOpen(transport: number, launch: number): boolean;
}

/**
 * Plans what the adaptive sampler measures after a pass over some points (message sizes): for each configuration another launch, or
 * more time in its existing launches. The result is again a pass: a list of slots (one point in one launch).
 */
export class NextSlots {
  private readonly plan: RunPlan;
  private readonly adaptive: NonNullable<SamplingPlan['adaptive']>;
  private readonly budget: SamplingBudget;
  private readonly now: BudgetState;
  /** Expected seconds of all blocks and launch starts that this object has planned so far. */
  private costS = 0;
  /**
   * Seconds that each incomplete configuration may use: the budget that is left after the first blocks of all slots still to come,
   * divided by the number of these configurations.
   */
  private readonly shareS: number;
  /** Indices of the transports over which this object has planned another launch. */
  private readonly opened = new Set<number>();
  /** Highest number of launches of any cell for which this object has planned another launch, the planned launch included. */
  private launches = 0;
  /** Planned slots by "LAUNCH POINT" (two numbers). */
  private readonly slots = new Map<string, SamplingSlot>();

  constructor(plan: RunPlan, budget: SamplingBudget, now: BudgetState) {
    const { adaptive } = plan.sampling;
    if (adaptive === undefined) throw new RangeError('the plan has fixed counts');
    this.plan = plan;
    this.adaptive = adaptive;
    this.budget = budget;
    this.now = now;
    this.shareS = budget.freeS(now.atS) / Math.max(1, now.open.length);
  }

  /**
   * Plans another launch for one timing mode of a configuration, if possible.
   * @returns true if it is planned; false if the maximum number of launches is reached or the time budget does not allow another
   */
  addLaunch(cell: CellInProgress, { trial, sampling, blockS }: TrialInProgress): boolean {
    if (sampling.launches.size >= this.now.launches) return false;
    const launch = this.now.nextLaunch;
    const point = this.plan.points[cell.point];
    if (point === undefined) return false;
    const shape = sampleCell(this.plan, point, cell.transport, 1).blocks.find((one) => one.trial === trial);
    const isOpened = this.opened.has(cell.transport);
    if (shape === undefined || !this.takes(blockS + (isOpened ? 0 : this.now.startS))) return false;
    this.opened.add(cell.transport);
    sampling.of(launch);
    this.launches = Math.max(this.launches, sampling.launches.size);
    const slot = this.slotOf(cell.point, launch);
    slot.blocks.push(blockOf(this.plan, cell, launch, shape, true));
    slot.need.firstS += blockS;
    slot.need.moreS += this.shareS / cell.open.length;
    return true;
  }

  /**
   * Plans more measuring time for those launches of one timing mode that ended only for lack of time (reason `budget`), if
   * possible.
   * @returns true if it is planned; false if no such launch still runs, the budget has too little time, or more samples would not
   * help
   */
  goOn(cell: CellInProgress, trial: TrialInProgress): boolean {
    const { sampling } = trial;
    const late = sampling.late().filter((launch) => this.now.isOpen(cell.transport, launch));
    if (late.length === 0) return false;
    const leftS = this.shareS / cell.open.length / late.length;
    const times = trial.timesMore(leftS);
    if (leftS < trial.blockS || times < minGrowth) return false;
    // If the last additional time brought too few samples, no more time is added.
    if (sampling.fewest < minGrowth * trial.samplesBefore) return false;
    if (limitingFactor(sampling.seen, times, this.adaptive.precision) !== null) return false;
    if (!this.takes(late.length * trial.blockS)) return false;
    trial.samplesBefore = Math.max(1, sampling.fewest);
    for (const launch of late) {
      sampling.of(launch).ended = null;
      this.slotOf(cell.point, launch).need.moreS += leftS;
    }
    return true;
  }

  /**
   * The planned slots as a pass, sorted by launch.
   * @param points indices of the points (message sizes) whose precision is judged after the pass
   */
  collect(points: readonly number[]): SamplingPass {
    const slots = [...this.slots.values()].sort((a, b) => a.launch - b.launch || a.point - b.point);
    const { launches } = this.now;
    const more = Math.max(0, launches - this.launches);
    const needs = slots.filter(({ blocks }) => blocks.length > 0).map(({ need }) => need);
    return { points, slots, launches, further: Array.from({ length: more }, () => needs).flat() };
  }

  private takes(costS: number): boolean {
    if (!this.budget.affords(this.now.atS, this.costS + costS)) return false;
    this.costS += costS;
    return true;
  }

  private slotOf(point: number, launch: number): SamplingSlot {
    const key = `${launch} ${point}`;
    const slot = this.slots.get(key) ?? { point, launch, blocks: [], need: { point, firstS: 0, moreS: 0 } };
    this.slots.set(key, slot);
    return slot;
  }
}

/**
 * Makes the request to measure one block (a series of samples) of a configuration in one launch.
 * @param shape timing mode, number of samples and warm-up of the block
 * @param isFirst true for the first block of a launch, which is verified unless --check is 0. Later blocks are verified while
 * `isCheckedEnough` is false, and always with --check all
 */
export function blockOf(
  plan: RunPlan,
  cell: CellInProgress,
  launch: number,
  shape: BlockShape,
  isFirst = false,
): BlockRequest {
  const { check } = plan.sampling;
  const isChecked = check > 0 && (isFirst || check === 1 || !cell.isCheckedEnough);
  return {
    ...{ point: cell.point, transport: cell.transport, launch, ...shape },
    ...{ checkEvery: check, check: isChecked, release: false, completesCell: false },
  };
}
