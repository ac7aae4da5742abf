// What is measured beyond the launches of the plan: another launch where there is time, or more of those whose time was too
// short.
import type { BlockRequest, RunPlan, SamplingPlan } from '../../results/schema/index.ts';
import { startS } from '../costs.ts';
import { type BlockShape, sampleCell } from '../sampling.ts';
import { type Budget, longestSlots } from './budget.ts';
import type { OpenCell, OpenTrial } from './cell.ts';
import { lackingIn } from './precision.ts';
import type { Lap, Visit } from './visits.ts';

/** The visits of one more turn of a lap, gathered cell by cell. */
export class NextTurn {
  private readonly plan: RunPlan;
  private readonly adaptive: NonNullable<SamplingPlan['adaptive']>;
  private readonly budget: Budget;
  private readonly atS: number;
  /** Of all that was taken in so far. */
  private costS = 0;
  /** Launches that were started, or will be, "transport launch". */
  private readonly opened: Set<string>;
  /** By launch and point. */
  private readonly visits = new Map<string, Visit>();

  constructor(plan: RunPlan, budget: Budget, started: ReadonlySet<string>, atS: number) {
    const { adaptive } = plan.sampling;
    if (adaptive === undefined) throw new RangeError('the plan has fixed counts');
    this.plan = plan;
    this.adaptive = adaptive;
    this.budget = budget;
    this.opened = new Set(started);
    this.atS = atS;
  }

  /** @returns whether there is one more launch, and time for it */
  addLaunch(cell: OpenCell, { trial, sampling, blockS }: OpenTrial): boolean {
    if (sampling.launches.size >= this.adaptive.maxLaunches) return false;
    const launch = this.numberAfter(Math.max(...sampling.launches.keys()));
    const point = this.plan.points[cell.point];
    if (point === undefined) return false;
    const shape = sampleCell(this.plan, point, cell.transport, 1).blocks.find((one) => one.trial === trial);
    const start = `${cell.transport} ${launch}`;
    if (shape === undefined || !this.takes(blockS + (this.opened.has(start) ? 0 : startS(this.plan))))
      return false;
    this.opened.add(start);
    sampling.of(launch);
    const visit = this.visitOf(cell.point, launch);
    visit.blocks.push(blockOf(this.plan, cell, launch, shape));
    visit.need.firstS += blockS;
    visit.need.moreS += this.slotOf(cell);
    return true;
  }

  /** @returns whether launches that had no time for more have it now, and it helps; once for each trial */
  goOn(cell: OpenCell, trial: OpenTrial): boolean {
    const { sampling } = trial;
    const late = sampling.late();
    if (late.length === 0 || trial.wentOn) return false;
    const spentS = Math.max(...late.map((launch) => cell.spentS.get(launch) ?? 0));
    const leftS = (longestSlots * this.adaptive.slotS - spentS) / cell.open.length;
    if (
      leftS < trial.blockS ||
      lackingIn(sampling.seen, trial.timesMore(leftS), this.adaptive.precision) !== null
    )
      return false;
    if (!this.takes(late.length * trial.blockS)) return false;
    trial.wentOn = true;
    for (const launch of late) {
      sampling.of(launch).ended = null;
      this.visitOf(cell.point, launch).need.moreS += this.slotOf(cell);
    }
    return true;
  }

  /** Of what was taken in: launch by launch. */
  lap(): Lap {
    const visits = [...this.visits.values()].sort((a, b) => a.launch - b.launch || a.point - b.point);
    const launches = Math.max(0, ...visits.map(({ launch }) => launch)) + 1;
    const more = Math.max(0, this.adaptive.maxLaunches - launches);
    const needs = visits.filter(({ blocks }) => blocks.length > 0).map(({ need }) => need);
    return { visits, further: Array.from({ length: more }, () => needs).flat() };
  }

  private takes(costS: number): boolean {
    if (!this.budget.affords(this.atS, this.costS + costS)) return false;
    this.costS += costS;
    return true;
  }

  /** The number after those of the plan is that of the untimed launch, where there is one. */
  private numberAfter(launch: number): number {
    const { launches, attest } = this.plan.sampling;
    return attest === true && launch + 1 === launches ? launch + 2 : launch + 1;
  }

  private slotOf({ open }: OpenCell): number {
    return this.adaptive.slotS / open.length;
  }

  private visitOf(point: number, launch: number): Visit {
    const key = `${launch} ${point}`;
    const visit = this.visits.get(key) ?? { point, launch, blocks: [], need: { firstS: 0, moreS: 0 } };
    this.visits.set(key, visit);
    return visit;
  }
}

export function blockOf(plan: RunPlan, cell: OpenCell, launch: number, shape: BlockShape): BlockRequest {
  const { check } = plan.sampling;
  return {
    ...{ point: cell.point, transport: cell.transport, launch, ...shape },
    ...{ checkEvery: check, check: check > 0, release: false, completesCell: false },
  };
}
