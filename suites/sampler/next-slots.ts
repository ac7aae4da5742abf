// Slots beyond the launches of the plan: another launch if there is time, or more time for launches that had too little.
import type { BlockRequest, RunPlan, SamplingPlan } from '../../results/schema/index.ts';
import { type BlockShape, sampleCell } from '../sampling.ts';
import type { SamplingBudget } from './budget.ts';
import type { CellInProgress, TrialInProgress } from './cell.ts';
import { limitingFactor } from './precision.ts';
import type { SamplingPass, SamplingSlot } from './slots.ts';

/** Minimum factor on the samples of a launch for which another slot is worth its time. */
const leastGrowth = 1.25;

interface BudgetState {
  atS: number;
  /** Seconds of one start. */
  startS: number;
  /** Cells of the pass that are not complete. */
  open: readonly CellInProgress[];
}

/** Collects the slots of one more round of a pass, cell by cell. */
export class NextSlots {
  private readonly plan: RunPlan;
  private readonly adaptive: NonNullable<SamplingPlan['adaptive']>;
  private readonly budget: SamplingBudget;
  private readonly now: BudgetState;
  /** Seconds of the first blocks and starts of the slots collected so far. */
  private costS = 0;
  /** Seconds of the free time that each cell may use. */
  private readonly shareS: number;
  /** Launches that are started or planned, as "transport launch". */
  private readonly opened: Set<string>;
  /** Slots by launch and point. */
  private readonly visits = new Map<string, SamplingSlot>();

  constructor(plan: RunPlan, budget: SamplingBudget, started: ReadonlySet<string>, now: BudgetState) {
    const { adaptive } = plan.sampling;
    if (adaptive === undefined) throw new RangeError('the plan has fixed counts');
    this.plan = plan;
    this.adaptive = adaptive;
    this.budget = budget;
    this.opened = new Set(started);
    this.now = now;
    this.shareS = budget.freeS(now.atS) / Math.max(1, now.open.length);
  }

  /**
   * Adds a launch for a trial.
   * @returns false if the maximum number of launches is reached or there is no time
   */
  addLaunch(cell: CellInProgress, { trial, sampling, blockS }: TrialInProgress): boolean {
    if (sampling.launches.size >= this.adaptive.maxLaunches) return false;
    const launch = this.numberAfter(Math.max(...sampling.launches.keys()));
    const point = this.plan.points[cell.point];
    if (point === undefined) return false;
    const shape = sampleCell(this.plan, point, cell.transport, 1).blocks.find((one) => one.trial === trial);
    const start = `${cell.transport} ${launch}`;
    if (shape === undefined || !this.takes(blockS + (this.opened.has(start) ? 0 : this.now.startS)))
      return false;
    this.opened.add(start);
    sampling.of(launch);
    const visit = this.visitOf(cell.point, launch);
    visit.blocks.push(blockOf(this.plan, cell, launch, shape, true));
    visit.need.firstS += blockS;
    visit.need.moreS += this.shareS / cell.open.length;
    return true;
  }

  /**
   * Gives more time to launches of a trial that ended for lack of time.
   * @returns false if there is no such launch, too little time, or no benefit
   */
  goOn(cell: CellInProgress, trial: TrialInProgress): boolean {
    const { sampling } = trial;
    const late = sampling.late();
    if (late.length === 0) return false;
    const leftS = this.shareS / cell.open.length / late.length;
    const times = trial.timesMore(leftS);
    if (leftS < trial.blockS || times < leastGrowth) return false;
    // A slot that brought too few samples is not repeated.
    if (sampling.fewest < leastGrowth * trial.samplesBefore) return false;
    if (limitingFactor(sampling.seen, times, this.adaptive.precision) !== null) return false;
    if (!this.takes(late.length * trial.blockS)) return false;
    trial.samplesBefore = Math.max(1, sampling.fewest);
    for (const launch of late) {
      sampling.of(launch).ended = null;
      this.visitOf(cell.point, launch).need.moreS += leftS;
    }
    return true;
  }

  /** The collected slots as a pass, sorted by launch. */
  lap(points: readonly number[]): SamplingPass {
    const visits = [...this.visits.values()].sort((a, b) => a.launch - b.launch || a.point - b.point);
    const launches = Math.max(0, ...visits.map(({ launch }) => launch)) + 1;
    const more = Math.max(0, this.adaptive.maxLaunches - launches);
    const needs = visits.filter(({ blocks }) => blocks.length > 0).map(({ need }) => need);
    return { points, visits, further: Array.from({ length: more }, () => needs).flat() };
  }

  private takes(costS: number): boolean {
    if (!this.budget.affords(this.now.atS, this.costS + costS)) return false;
    this.costS += costS;
    return true;
  }

  /** The next launch number. The number after the plan's launches may belong to the attest launch and is skipped. */
  private numberAfter(launch: number): number {
    const { launches, attest } = this.plan.sampling;
    return attest === true && launch + 1 === launches ? launch + 2 : launch + 1;
  }

  private visitOf(point: number, launch: number): SamplingSlot {
    const key = `${launch} ${point}`;
    const visit = this.visits.get(key) ?? { point, launch, blocks: [], need: { point, firstS: 0, moreS: 0 } };
    this.visits.set(key, visit);
    return visit;
  }
}

/**
 * @param isFirst true for the first block of a launch, which is always verified; later ones are verified while
 * `isCheckedEnough` is false
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
