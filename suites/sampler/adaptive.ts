import { median } from 'simple-statistics';
import {
  type BlockRecord,
  type BlockRequest,
  type RunPlan,
  type SamplingPlan,
  type StopReason,
  timedTrialNames,
} from '../../results/schema/index.ts';
import { randomSource } from '../random.ts';
import { estimateBlockNs, estimateOperationNs, sampleCell, shapeOf, startS } from '../sampling.ts';
import { inOrder, isSameLaunch } from '../schedule.ts';
import { Budget, needOf } from './budget.ts';
import { OpenCell, OpenTrial, Others } from './cell.ts';
import { lackingIn } from './precision.ts';
import type { ClosedCell, Sampler } from './sampler.ts';

/** Where the budget has time that the points to come would not get, a slot may be so many times as long. */
const longestSlots = 2;

type Adaptive = NonNullable<SamplingPlan['adaptive']>;

/** Blocks that a trial would have in the next round. */
interface Round {
  cell: OpenCell;
  trial: OpenTrial;
  launches: number[];
  /** Of each block, where they are counted. */
  samples: number | null;
  costS: number;
}

/**
 * Point by point, in rounds: the first blocks of all its cells in random order, then of each trial that is not precise
 * enough yet a block of every launch, and so on, until all are precise, cannot become so, or the time of the point is spent.
 * Deterministic in the plan, the records and the times it is told.
 */
export class AdaptiveSampler implements Sampler {
  private readonly plan: RunPlan;
  private readonly wanted: Adaptive;
  private readonly random: () => number;
  private readonly budget: Budget;
  private readonly others = new Others();
  private queue: BlockRequest[];
  /** First blocks of the points to come, [point][block]. */
  private readonly waiting: BlockRequest[][];
  private cells: OpenCell[] = [];
  private readonly started = new Set<string>();
  /** Seconds of the starts at this point, and of all. */
  private startsS = 0;
  private allStartsS = 0;
  /** Launches that the first blocks need. */
  private readonly startsDue: number;
  private readonly startEstimateS: number;
  private tookAtS = 0;

  /** @param blocks of schedule(): those of a point follow one another, `attest` blocks go before */
  constructor(plan: RunPlan, blocks: readonly BlockRequest[]) {
    const { adaptive, seed } = plan.sampling;
    if (adaptive === undefined) throw new RangeError('the plan has fixed counts');
    this.plan = plan;
    this.wanted = adaptive;
    this.random = randomSource(seed + 1);
    this.queue = blocks.filter(({ trial }) => trial === 'attest');
    const byPoint = new Map<number, BlockRequest[]>();
    for (const block of blocks) {
      if (block.trial === 'attest') continue;
      byPoint.set(block.point, [...(byPoint.get(block.point) ?? []), { ...block, completesCell: false }]);
    }
    this.waiting = [...byPoint.values()];
    const needs = [...byPoint].map(([point, own]) =>
      needOf(plan, point, (_, transport) => own.some((block) => block.transport === transport)),
    );
    this.budget = new Budget(adaptive.budgetS, needs);
    this.startsDue = new Set(blocks.map(({ transport, launch }) => `${transport} ${launch}`)).size;
    this.startEstimateS = startS(plan);
    if (this.queue.length === 0) this.beginPoint(0);
  }

  next(): IteratorResult<BlockRequest> {
    const value = this.queue.shift();
    return value === undefined ? { done: true, value: undefined } : { done: false, value };
  }

  [Symbol.iterator](): this {
    return this;
  }

  take(record: BlockRecord, _completesCell: boolean, atS: number): ClosedCell[] {
    const costS = atS - this.tookAtS;
    this.tookAtS = atS;
    const isStart = this.starts(record);
    const cell = this.cells.find(({ transport }) => transport === record.transport);
    if (record.trial !== 'attest') cell?.add(record, isStart ? null : costS);
    if (isStart) {
      this.startsS += costS;
      this.allStartsS += costS;
    }
    if (this.queue.length > 0) return [];
    if (record.trial !== 'attest') return this.endRound(atS);
    this.beginPoint(atS);
    return [];
  }

  leftS(atS: number): number {
    const due = Math.max(0, this.startsDue - this.started.size);
    const eachS = this.started.size === 0 ? this.startEstimateS : this.allStartsS / this.started.size;
    return this.budget.leftS(atS) + due * eachS;
  }

  private starts({ transport, launch }: BlockRecord): boolean {
    const key = `${transport} ${launch}`;
    const isNew = !this.started.has(key);
    this.started.add(key);
    return isNew;
  }

  private beginPoint(atS: number): void {
    const first = this.waiting.shift() ?? [];
    this.startsS = 0;
    this.budget.begin(atS);
    this.cells = [...new Set(first.map(({ transport }) => transport))].map((transport) =>
      this.openCell((first[0] as BlockRequest).point, transport),
    );
    this.queue = this.released(first);
  }

  private openCell(index: number, transport: number): OpenCell {
    const point = this.plan.points[index];
    if (point === undefined) throw new RangeError(`no point ${index} in the plan`);
    const operationNs = estimateOperationNs(this.plan, point, transport);
    const { blocks, release } = sampleCell(this.plan, point, transport, 1);
    const trials = timedTrialNames.flatMap((trial) => {
      const block = blocks.find((one) => one.trial === trial);
      if (block === undefined) return [];
      const open = new OpenTrial(
        trial,
        estimateBlockNs(this.plan, point, transport, block) / 1e9,
        operationNs,
      );
      return [open];
    });
    return new OpenCell(index, transport, trials, release);
  }

  /** All blocks that were asked for are there: what next? */
  private endRound(atS: number): ClosedCell[] {
    this.budget.firstDone(atS, this.startsS);
    const before = this.cells;
    const rounds = this.cells.flatMap((cell) => cell.open.flatMap((trial) => this.nextOf(cell, trial)));
    const affordable = this.affordable(rounds, atS);
    this.cells = before.filter(({ open }) => open.length > 0);
    const closed = before.filter(({ open }) => open.length === 0);
    for (const cell of closed) this.remember(cell);
    if (affordable.length > 0) this.queue = this.order(affordable);
    else {
      this.budget.end(atS);
      if (this.waiting.length > 0) this.beginPoint(atS);
    }
    return closed.map(({ point, transport, stopped }) => ({ point, transport, stopped }));
  }

  /** The next round of one trial; none where it is at its end, which is then noted. */
  private nextOf(cell: OpenCell, trial: OpenTrial): Round[] {
    const { sampling, halfQuantumNs } = trial;
    const { precision, slotS } = this.wanted;
    const judged = sampling.judge(this.othersOf(cell, trial), precision, halfQuantumNs);
    if (sampling.stopped !== null) return [];
    const freeS = this.budget.shareS(this.cells.length * this.plan.sampling.launches);
    const mostS = Math.min(longestSlots * slotS, Math.max(slotS, freeS));
    const leftOf = (launches: readonly number[]): number =>
      (mostS - Math.max(...launches.map((launch) => cell.spentS.get(launch) ?? 0))) / cell.open.length;
    const lacking =
      judged ?? lackingIn(sampling.seen, trial.timesMore(leftOf([...sampling.launches.keys()])), precision);
    if (lacking !== null && (lacking === 'budget' || !this.addLaunch(trial)))
      return this.stop(cell, trial, lacking);
    const launches = sampling.due();
    const leftS = leftOf(launches);
    const samples = trial.countedSamples(leftS);
    const blockS = samples === null ? trial.blockS : trial.costS(samples);
    if (blockS > leftS) return this.stop(cell, trial, 'budget');
    return [{ cell, trial, launches, samples, costS: launches.length * blockS }];
  }

  private stop(cell: OpenCell, trial: OpenTrial, why: StopReason): [] {
    const { precision } = this.wanted;
    trial.sampling.stop(why, this.othersOf(cell, trial), precision, trial.halfQuantumNs);
    return [];
  }

  /** @returns whether there may be one more */
  private addLaunch({ sampling }: OpenTrial): boolean {
    if (sampling.launches.size >= this.wanted.maxLaunches) return false;
    // The number after those of the plan is that of the untimed launch, where there is one.
    const { launches, attest } = this.plan.sampling;
    const own = Math.max(...sampling.launches.keys()) + 1;
    sampling.addLaunch(attest === true && own === launches ? own + 1 : own);
    return true;
  }

  /** Cheap rounds first, as many as the time of the point allows; the trials of the others end. */
  private affordable(rounds: readonly Round[], atS: number): Round[] {
    let leftS = this.budget.remainsS(atS);
    return [...rounds]
      .sort((a, b) => a.costS - b.costS)
      .filter(({ cell, trial, costS }) => {
        leftS -= costS;
        if (leftS >= 0) return true;
        this.stop(cell, trial, 'budget');
        return false;
      });
  }

  private order(rounds: readonly Round[]): BlockRequest[] {
    const { check } = this.plan.sampling;
    const perLaunch = new Map<string, BlockRequest[]>();
    for (const { cell, trial, launches, samples } of rounds) {
      const shape = shapeOf(this.plan, trial.trial, trial.operationNs, samples);
      for (const launch of launches) {
        const key = `${cell.transport} ${launch}`;
        const block: BlockRequest = {
          ...{ point: cell.point, transport: cell.transport, launch, ...shape },
          ...{ checkEvery: check, check: check > 0, release: false, completesCell: false },
        };
        perLaunch.set(key, [...(perLaunch.get(key) ?? []), block]);
      }
    }
    const releases = rounds.some(({ cell }) => cell.releases);
    return this.released(inOrder([...perLaunch.values()], releases, this.random));
  }

  /** Large buffers are given back after the last block of a launch, before another has its own. */
  private released(blocks: readonly BlockRequest[]): BlockRequest[] {
    return blocks.map((block, i) => {
      const cell = this.cells.find(({ transport }) => transport === block.transport);
      return { ...block, release: cell?.releases === true && !isSameLaunch(block, blocks[i + 1]) };
    });
  }

  private othersOf(cell: OpenCell, { trial }: OpenTrial): number[][] {
    const at = this.plan.points[cell.point];
    return at === undefined ? [] : this.others.of(at, cell.transport, trial);
  }

  private remember(cell: OpenCell): void {
    const at = this.plan.points[cell.point];
    for (const { trial, sampling } of cell.trials) {
      const medians = [...sampling.launches.values()].flatMap(({ ns }) =>
        ns.length === 0 ? [] : median(ns),
      );
      if (at !== undefined && medians.length >= 2) this.others.add(at, cell.transport, trial, medians);
    }
  }
}
