import { addTo } from '../../results/collections.ts';
import { randomSource } from '../../results/random.ts';
import type { BlockRecord, BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { launchSamples, shapeOf } from '../block-shapes.ts';
import { endS, startS } from '../costs.ts';
import { pointPasses } from '../passes.ts';
import { shuffleBlocks } from '../schedule.ts';
import { BegunCells } from './begun-cells.ts';
import { type AdaptivePlan, BlocksInTime, firstLaunchesS } from './blocks-in-time.ts';
import { SamplingBudget } from './budget.ts';
import type { CellInProgress, TrialInProgress } from './cell.ts';
import { LaunchStarts } from './launch-starts.ts';
import { blockOf, NextSlots } from './next-slots.ts';
import { RunPace } from './pace.ts';
import { launchesInTime } from './pass-launches.ts';
import type { BlockSampler, CompletedCell } from './sampler.ts';
import { type SamplingPass, type SamplingSlot, samplingPasses } from './slots.ts';

/** Maximum number of times, per time budget, that the sampler predicts how long the remaining measurements take. */
const predictions = 50;

/** The next block (series of samples) of one timing mode of a configuration. It is measured if the time suffices. */
interface NextBlock {
  cell: CellInProgress;
  trial: TrialInProgress;
  /** Exact number of samples of the block, for long operations; null = the block ends after a fixed time instead. */
  samples: number | null;
  costS: number;
}

/**
 * Adaptive sampler: decides what to measure next. Its unit is the slot: one point (message size) in one launch of each transport. A
 * slot begins with one block of samples per timing mode and transport, in random order. Then follow rounds, each with one block for
 * every timing mode that needs more samples. A slot ends when its launches have enough samples or its time is used up. Slots that
 * do not fit into the budget are skipped. If the plan has several launches apart in time (hasFirstPass()), the first pass has a
 * slot for every point. Other passes go launch by launch, and within a launch point by point. After all launches of a pass, each
 * cell gets another launch if plan and budget allow it, whatever the measured results are. Then cells that are not precise enough
 * get more time. All decisions depend only on the plan, the measured blocks and the times passed in.
 */
export class AdaptiveSampler implements BlockSampler {
  private readonly plan: RunPlan;
  private readonly wanted: AdaptivePlan;
  private readonly random: () => number;
  private readonly budget: SamplingBudget;
  private queue: BlockRequest[];
  private readonly passes: SamplingPass[];
  private pass: SamplingPass | null = null;
  private readonly cells: BegunCells;
  private readonly starts: LaunchStarts;
  private readonly inTime: BlocksInTime;
  private slot: SamplingSlot | null = null;
  /** Seconds spent on starting launches in the current slot. */
  private startsS = 0;
  /** Seconds of the time budget that are kept for the end of the run: stopping ranks and writing the report. */
  private readonly endS: number;
  private readonly pace: RunPace;
  /**
   * Highest launch number of the plan, the `attest` launch included. The ranks of these launches run until the end; of the launches
   * added later only the newest per transport keeps its ranks.
   */
  private readonly lastPlanned: number;
  /**
   * Number of the newest launch beyond the plan, by index of the transport. Of the launches added to the plan only this one still
   * runs.
   */
  private readonly newest = new Map<number, number>();
  /** Time of the next prediction of how long the remaining slots take, in seconds since the start of the run. */
  private predictAtS = 0;
  private readonly slotProgress = { done: 0, total: 0 };
  /**
   * Time at which the last block ended, seconds since the start of the run. Null after configurations were completed, because the
   * time until the next block is then also spent on other work.
   */
  private lastBlockEndS: number | null;

  /**
   * @param plan a plan with adaptive sampling
   * @param blocks blocks in the order of measuring: untimed `attest` blocks, then the first blocks of each slot
   * @param slowdown factor by which a busy machine lengthens the end of the run; 1 = idle machine
   * @param beganS time at which the first launch begins to start, seconds since the start of the run; null = unknown
   * @throws {RangeError} if the plan has fixed counts
   */
  constructor(plan: RunPlan, blocks: readonly BlockRequest[], slowdown = 1, beganS: number | null = null) {
    const { adaptive, seed, launches, attest } = plan.sampling;
    if (adaptive === undefined) throw new RangeError('the plan has fixed counts');
    this.plan = plan;
    this.lastPlanned = launches - 1 + (attest === true ? 1 : 0);
    this.lastBlockEndS = beganS;
    this.wanted = adaptive;
    this.random = randomSource(seed + 1);
    this.queue = blocks.filter(({ trial }) => trial === 'attest');
    this.passes = samplingPasses(plan, pointPasses(plan), blocks);
    this.endS = Math.min(slowdown * endS(plan), adaptive.budgetS / 2);
    this.budget = new SamplingBudget(
      adaptive.budgetS - this.endS,
      this.passes.flatMap(({ slots, further }) => [...slots.map(({ need }) => need), ...further]),
    );
    this.cells = new BegunCells(plan);
    this.starts = new LaunchStarts(blocks, slowdown * startS(plan));
    this.pace = new RunPace(plan);
    this.inTime = new BlocksInTime(plan, adaptive, {
      ...{ cells: this.cells, starts: this.starts, pace: this.pace, endS: this.endS },
    });
    this.slotProgress.total = this.passes.reduce((sum, { slots }) => sum + slots.length, 0);
    if (this.queue.length === 0) this.beginPass(0);
  }

  next(): IteratorResult<BlockRequest> {
    const value = this.queue.shift();
    return value === undefined
      ? { done: true, value: undefined }
      : { done: false, value: this.replacing(value) };
  }

  /**
   * Returns the block. If it is the first of a launch added to the plan, the block also names (`replaces`) the previous added
   * launch, whose ranks end now.
   */
  private replacing(block: BlockRequest): BlockRequest {
    const { transport, launch } = block;
    const replaces = this.newest.get(transport);
    if (launch <= this.lastPlanned || launch === replaces) return block;
    this.newest.set(transport, launch);
    return replaces === undefined ? block : { ...block, replaces };
  }

  [Symbol.iterator](): this {
    return this;
  }

  take(record: BlockRecord, _completesCell: boolean, atS: number): CompletedCell[] {
    const costS = this.lastBlockEndS === null ? null : Math.max(0, atS - this.lastBlockEndS);
    this.lastBlockEndS = atS;
    const startS = this.starts.add(record, costS);
    const blockS = startS === null ? costS : null;
    if (record.trial !== 'attest') this.cells.find(record.point, record.transport)?.add(record, blockS);
    this.startsS += startS ?? 0;
    this.pace.add(record, blockS);
    this.queue = this.blocksInTime(this.queue, atS);
    if (this.queue.length > 0) return [];
    const closed = record.trial === 'attest' ? this.beginPass(atS) : this.endRound(atS);
    if (closed.length > 0) this.lastBlockEndS = null;
    return closed;
  }

  paused(seconds: number): void {
    if (this.lastBlockEndS !== null) this.lastBlockEndS += seconds;
    this.startsS += seconds;
  }

  leftS(atS: number): number {
    const expectedS = this.budget.leftS(atS) + this.starts.leftS + this.endS;
    // Blocks that would end too late are left out, so on a busy machine the sum of all expected blocks is too high.
    return Math.max(this.endS, Math.min(expectedS, firstLaunchesS(this.wanted) - atS));
  }

  get progress(): { done: number; total: number } {
    return this.slotProgress;
  }

  /**
   * Takes the next planned pass, a list of slots (one message size in one launch). Creates the configurations that no earlier pass
   * has begun, and begins the first slot that fits into the budget.
   * @param atS seconds since the start of the run
   * @returns configurations that are complete because no slot of the pass fits into the budget
   */
  private beginPass(atS: number): CompletedCell[] {
    this.pass = this.passes.shift() ?? null;
    if (this.pass !== null) this.countLaunches(this.pass, atS);
    this.cells.begin(this.pass?.slots ?? []);
    return this.beginNextSlot(atS);
  }

  /**
   * Sets the number of launches of a pass that begins: as many as fit into the pass's share of the remaining time, at the speed of
   * the run so far. A pass that judges no point keeps the planned number.
   * @param atS seconds since the start of the run
   */
  private countLaunches(pass: SamplingPass, atS: number): void {
    const [first] = pass.slots;
    if (pass.points.length === 0 || first === undefined) return;
    const slots = pass.slots.filter(({ launch }) => launch === first.launch);
    const transports = new Set(slots.flatMap(({ blocks }) => blocks.map(({ transport }) => transport)));
    const { needs, firstS } = this.budget.upcoming(slots.length);
    const passS = (this.wanted.budgetS - this.endS - atS) / (1 + this.passes.length);
    pass.launches = launchesInTime(this.plan, transports.size * this.starts.eachS + firstS, passS);
    const further = Array.from({ length: pass.launches - this.plan.sampling.launches }, () => needs).flat();
    this.budget.replace(pass.further.length, further, pass.slots.length);
    pass.further = further;
  }

  /**
   * Begins the next slot that fits into the budget. If there is none, ends the launches of this pass.
   * @param atS seconds since the start of the run
   * @returns configurations that need no more samples after this
   */
  private beginNextSlot(atS: number): CompletedCell[] {
    const { pass } = this;
    if (pass === null) return [];
    const slot = this.takeSlot(pass, atS);
    this.predictFirstBlocks(pass, slot, atS);
    if (slot === undefined) return this.endPass(pass, atS);
    this.slot = slot;
    this.startsS = 0;
    this.budget.begin(atS, this.starts.leftS);
    this.queue = this.cells.withReleases(slot.blocks);
    return slot.blocks.length > 0 ? [] : this.endRound(atS);
  }

  /**
   * Removes the next slot from the pass, and returns it with those of its first blocks that fit into the budget. Slots of which no
   * block fits are skipped. Undefined if the pass has no slot left.
   * @param atS seconds since the start of the run
   */
  private takeSlot(pass: SamplingPass, atS: number): SamplingSlot | undefined {
    for (let slot = pass.slots.shift(); slot !== undefined; slot = pass.slots.shift()) {
      const blocks = this.inTime.slotInTime(slot, pass.slots, atS);
      if (blocks.length > 0 || slot.blocks.length === 0) return { ...slot, blocks: [...blocks] };
      this.budget.skip();
      this.slotProgress.done += 1;
    }
    return undefined;
  }

  /**
   * Predicts the seconds of the first blocks of `next` and of each later slot, and passes them to the budget; zeros if all fit. The
   * budget then keeps this time free, so that every point is measured briefly before any point gets more. Predicts at most every
   * 1/50 of the budget.
   * @param next the slot that begins now; undefined = none, and nothing is predicted
   * @param atS seconds since the start of the run
   */
  private predictFirstBlocks({ slots }: SamplingPass, next: SamplingSlot | undefined, atS: number): void {
    if (next === undefined || this.starts.count === 0 || atS < this.predictAtS) return;
    this.predictAtS = atS + this.wanted.budgetS / predictions;
    const seconds = [next, ...slots].map(({ blocks }) =>
      blocks.length === 0 ? 0 : this.inTime.slotS(blocks),
    );
    const wholeS = seconds.reduce((sum, one) => sum + one, 0);
    this.budget.predict(atS + wholeS > this.wanted.budgetS - this.endS ? seconds : seconds.map(() => 0));
  }

  /**
   * Called when all requested blocks are measured. Requests the next blocks of the current slot, or ends the slot.
   * @param atS seconds since the start of the run
   * @returns configurations that need no more samples
   */
  private endRound(atS: number): CompletedCell[] {
    const { slot } = this;
    if (slot === null) return [];
    this.budget.firstDone(atS, this.startsS);
    const { launch } = slot;
    const cells = this.cells.ofPoint(slot.point).filter((cell) => working(cell, launch).length > 0);
    const trials = cells.reduce((sum, cell) => sum + working(cell, launch).length, 0);
    const leftS = this.budget.remainsS(atS) / Math.max(1, trials);
    const nexts = cells.flatMap((cell) =>
      working(cell, launch).flatMap((trial) => this.nextBlock(cell, trial, launch, leftS)),
    );
    this.queue = this.blocksInTime(this.order(this.affordableBlocks(nexts, launch, atS), launch), atS);
    if (this.queue.length > 0) return [];
    for (const { trial } of nexts) trial.sampling.of(launch).ended ??= 'budget';
    this.budget.end(atS);
    this.slotProgress.done += 1;
    return this.beginNextSlot(atS);
  }

  /**
   * The next block of one timing mode in this launch, as a list of one. The list is empty if the launch has enough samples or too
   * little time; the reason is stored in the launch.
   * @param leftS seconds of the slot that are left for this timing mode
   */
  private nextBlock(
    cell: CellInProgress,
    trial: TrialInProgress,
    launch: number,
    leftS: number,
  ): NextBlock[] {
    const { precision } = this.wanted;
    const { launches } = this.plan.sampling;
    const maxSamples = launchSamples(this.plan, this.pass?.launches ?? launches);
    if (trial.isEnough(launch, { precision, launches, maxSamples })) return [];
    const samples = trial.countedSamples(launch, leftS);
    const costS = samples === null ? trial.blockS : trial.costS(samples);
    if (costS <= leftS) return [{ cell, trial, samples, costS }];
    trial.sampling.of(launch).ended = 'budget';
    return [];
  }

  /**
   * Returns the blocks that fit into the remaining time of the slot, the shortest first. For the timing modes of the other blocks
   * sampling in this launch ends with the reason `budget`.
   * @param atS seconds since the start of the run
   */
  private affordableBlocks(nexts: readonly NextBlock[], launch: number, atS: number): NextBlock[] {
    let leftS = this.budget.remainsS(atS);
    return [...nexts]
      .sort((a, b) => a.costS - b.costS)
      .filter(({ trial, costS }) => {
        leftS -= costS;
        if (leftS >= 0) return true;
        trial.sampling.of(launch).ended = 'budget';
        return false;
      });
  }

  /**
   * Called when all launches of a pass are measured. Judges the precision of its configurations, and plans further launches or
   * more time for them.
   * @param atS seconds since the start of the run
   * @returns configurations that need no more samples
   */
  private endPass(pass: SamplingPass, atS: number): CompletedCell[] {
    const { precision } = this.wanted;
    const cells = pass.points.flatMap((point) => this.cells.ofPoint(point));
    const open = cells.filter((cell) => cell.open.length > 0);
    for (const cell of open) this.cells.remember(cell);
    this.budget.replace(pass.further.length, []);
    const next = new NextSlots(this.plan, this.budget, {
      ...{ atS, startS: this.starts.eachS, open, launches: pass.launches },
      nextLaunch: 1 + Math.max(this.lastPlanned, ...this.newest.values()),
      isOpen: (transport, launch) => launch <= this.lastPlanned || launch === this.newest.get(transport),
    });
    for (const cell of open) {
      for (const trial of cell.open) {
        if (trial.sampling.launches.size === 0) {
          trial.sampling.stopped = 'budget';
          continue;
        }
        const isOutOfTime = trial.sampling.dropUnmeasured();
        // Only time decides on another launch, never how much the launches differ. Otherwise launches that agree by chance would
        // end a cell too early.
        if (!isOutOfTime && next.addLaunch(cell, trial)) continue;
        const isShort = trial.sampling.launches.size < this.plan.sampling.launches;
        const others = this.cells.mediansOfOthers(cell, trial);
        if (trial.sampling.judge(others, precision, trial.halfQuantumNs, isShort)) continue;
        if (!next.goOn(cell, trial)) trial.sampling.stop(precision, isShort);
      }
    }
    Object.assign(pass, next.collect(pass.points));
    this.slotProgress.total += pass.slots.length;
    this.budget.replace(0, [...pass.slots.map(({ need }) => need), ...pass.further]);
    const closed = open
      .filter((cell) => cell.open.length === 0)
      .map(({ point, transport, stopped }) => ({ point, transport, stopped }));
    return [...closed, ...(pass.slots.length > 0 ? this.beginNextSlot(atS) : this.beginPass(atS))];
  }

  private blocksInTime(blocks: readonly BlockRequest[], atS: number): BlockRequest[] {
    return this.inTime.blocksInTime(blocks, this.pass?.slots ?? [], atS);
  }

  private order(nexts: readonly NextBlock[], launch: number): BlockRequest[] {
    const perTransport = new Map<number, BlockRequest[]>();
    for (const { cell, trial, samples } of nexts) {
      const shape = shapeOf(this.plan, trial.trial, trial.operationNs, samples);
      const block = blockOf(this.plan, cell, launch, shape);
      addTo(perTransport, cell.transport, block);
    }
    const releases = nexts.some(({ cell }) => cell.releases);
    return this.cells.withReleases(shuffleBlocks([...perTransport.values()], releases, this.random));
  }
}

/** Timing modes (isolated, pipelined) of a configuration that still need samples in the launch with this number. */
const working = (cell: CellInProgress, launch: number): TrialInProgress[] =>
  cell.open.filter(({ sampling }) => sampling.launches.get(launch)?.ended === null);
