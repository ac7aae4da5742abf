// Distribution of a run's seconds: the first blocks of all cells have priority, the rest is shared among further blocks.
import { type PointPlan, type RunPlan, timedTrialNames } from '../../results/schema/index.ts';
import { estimateBlockNs, furtherLaunchesS, type IsDue, launchesS, overheadS } from '../costs.ts';
import { estimateOperationNs, maxLaunchSamples, sampleCell, shapeOf } from '../sampling.ts';

/** Initial estimate: share of the time beyond first blocks that a cell really uses. Replaced by measured shares. */
const expectedUse = 0.7;
/** Weight of earlier observations in the exponential averages. */
const memory = 0.5;

/** Limit of measured over estimated time. A slot beyond it met an exceptional event and does not predict later slots. */
const mostPace = 4;
/**
 * Estimated seconds of first blocks from which the measured ratio has full weight. Shorter slots mainly show overhead, which
 * does not grow with the message size.
 */
const tellingS = 1;

/** Measured time of first blocks compared with the estimate: the ratio, and a constant number of seconds per point. */
interface BudgetPace {
  times: number;
  beyondS: number;
}
const asEstimated: BudgetPace = { times: 1, beyondS: 0 };
/**
 * Initial pace. Estimates are cautious, but only large messages show this, and they come last. Until then less time is reserved
 * for them.
 */
const untilSeen: BudgetPace = { times: 0.6, beyondS: 0 };
/** Share of the budget that all points get beyond their first blocks, even if later first blocks are expected to take longer. */
const leastShare = 1 / 4;

/** Time needs of a slot or of a point: seconds of its first blocks, and maximum useful seconds beyond these. */
export interface BudgetNeed {
  point: number;
  firstS: number;
  /** True if `firstS` was measured in an earlier launch of the point. */
  isMeasured?: boolean;
  moreS: number;
}

/**
 * Needs of a point over all launches of the plan.
 * @param isDue the point's cells to measure
 */
export function needOf(plan: RunPlan, index: number, isDue: IsDue = () => true): BudgetNeed {
  const { launches } = plan.sampling;
  const { point, firstS, moreS } = visitNeed(plan, index, isDue);
  return { point, firstS: launches * firstS, moreS: launches * moreS };
}

/** Needs of a slot: one point in one launch of each transport. */
export function visitNeed(plan: RunPlan, index: number, isDue: IsDue = () => true): BudgetNeed {
  const need = { point: index, firstS: 0, moreS: 0 };
  const point = plan.points[index];
  const { adaptive } = plan.sampling;
  if (point === undefined || adaptive === undefined) return need;
  for (const transport of plan.transports.keys()) {
    if (!isDue(index, transport)) continue;
    const { blocks } = sampleCell(plan, point, transport, 1);
    const ns = blocks.reduce((sum, block) => sum + estimateBlockNs(plan, point, transport, block), 0);
    need.firstS += ns / 1e9;
    // The first blocks also count towards this maximum, but their duration is unknown before they are measured.
    need.moreS += mostS(plan, point, transport);
  }
  return need;
}

/** Needs of a point in each launch that adaptive sampling may add to the plan. */
export function furtherNeeds(plan: RunPlan, index: number, isDue: IsDue = () => true): BudgetNeed[] {
  const { launches, adaptive } = plan.sampling;
  const further = Math.max(0, (adaptive?.maxLaunches ?? launches) - launches);
  const need = visitNeed(plan, index, isDue);
  return Array.from({ length: further }, () => need);
}

/** Seconds until one launch has the maximum number of samples of each trial. */
function mostS(plan: RunPlan, point: PointPlan, transport: number): number {
  const operationNs = estimateOperationNs(plan, point, transport);
  const ns = timedTrialNames.map((trial) => {
    const block = shapeOf(plan, trial, operationNs);
    return (maxLaunchSamples / block.maxSamples) * estimateBlockNs(plan, point, transport, block);
  });
  return ns.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Expected seconds beyond the first blocks if `grantS` seconds are granted. */
export const moreOf = ({ moreS }: BudgetNeed, grantS: number): number =>
  expectedUse * Math.min(moreS, grantS);

const mostMoreS = (needs: readonly BudgetNeed[]): number =>
  needs.reduce((total, { moreS }) => total + moreS, 0);

/** Expected seconds of the first blocks: as measured in an earlier launch of the point, otherwise estimated at this pace. */
const firstBlocksS = (needs: readonly BudgetNeed[], { times, beyondS }: BudgetPace): number =>
  needs.reduce(
    (total, { firstS, isMeasured }) => total + (isMeasured === true ? firstS : firstS * times + beyondS),
    0,
  );

/**
 * Expected seconds for all of these needs.
 * @param leftS seconds left in the budget
 * @param use share of the granted time that is really used
 */
function expectedS(needs: readonly BudgetNeed[], leftS: number, pace: BudgetPace, use: number): number {
  const firstS = firstBlocksS(needs, pace);
  return firstS + use * Math.min(mostMoreS(needs), Math.max(0, leftS - firstS));
}

/** Estimated seconds of a run with only the first blocks, in all launches of the plan. */
export function estimateLaunchesS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => needOf(plan, point, isDue));
  return overheadS(plan) + launchesS(plan, isDue) + firstBlocksS(needs, asEstimated);
}

/** Estimated seconds of an adaptive run before it starts. */
export function estimateAdaptiveS(
  plan: RunPlan,
  isDue: IsDue = () => true,
  slowdown = 1,
  preparingS?: number,
): number {
  const needs = [...plan.points.keys()].flatMap((point) => [
    needOf(plan, point, isDue),
    ...furtherNeeds(plan, point, isDue),
  ]);
  const startsS = launchesS(plan, isDue) + furtherLaunchesS(plan, isDue);
  const otherS = overheadS(plan, slowdown, preparingS) + slowdown * startsS;
  const pace = { ...asEstimated, times: slowdown };
  const budgetS = plan.sampling.adaptive?.budgetS ?? 0;
  const wholeS = otherS + expectedS(needs, budgetS - otherS, pace, expectedUse);
  return Math.min(wholeS, Math.max(budgetS, Math.sqrt(slowdown) * estimateLeastS(plan, isDue)));
}

/** Estimated seconds of the shortest run: one launch of each point, with first blocks only. */
export function estimateLeastS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => visitNeed(plan, point, isDue));
  const startsS = launchesS(plan, isDue) / plan.sampling.launches;
  return overheadS(plan) + startsS + firstBlocksS(needs, asEstimated);
}

/** Estimated seconds to start all launches and measure their first blocks. */
export function estimateFirstBlocksS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => needOf(plan, point, isDue));
  return launchesS(plan, isDue) + firstBlocksS(needs, untilSeen);
}

const none: BudgetNeed = { point: -1, firstS: 0, moreS: 0 };

export class SamplingBudget {
  private readonly budgetS: number;
  /** Needs of the slots still to come, in order. */
  private readonly needs: BudgetNeed[];
  private current: BudgetNeed = none;
  private pace = untilSeen;
  private readonly leastS: number;
  private use = expectedUse;
  private beganS = 0;
  private firstDoneS: number | null = null;
  private grantS = 0;

  constructor(budgetS: number, needs: readonly BudgetNeed[]) {
    this.budgetS = budgetS;
    this.needs = [...needs];
    this.leastS = (budgetS * leastShare) / Math.max(1, needs.length);
  }

  /**
   * Begins the next slot and grants it seconds beyond its first blocks.
   * @param reservedS seconds for launches that are still to start
   */
  begin(atS: number, reservedS = 0): void {
    this.current = this.needs.shift() ?? none;
    this.beganS = atS;
    this.firstDoneS = null;
    const firstS = firstBlocksS([this.current, ...this.needs], this.pace);
    const free = Math.max(0, this.budgetS - atS - reservedS - firstS);
    const least = Math.min(this.leastS, Math.max(0, this.budgetS - atS));
    this.grantS = Math.max(free / (this.needs.length + 1), least);
  }

  /**
   * Records that the first blocks of the slot are measured, and corrects the pace of the estimates.
   * @param startsS seconds of launches that started meanwhile
   */
  firstDone(atS: number, startsS: number): void {
    if (this.firstDoneS !== null) return;
    this.firstDoneS = atS;
    this.learn(Math.max(0, atS - this.beganS - startsS));
  }

  private learn(tookS: number): void {
    const { point, firstS, isMeasured } = this.current;
    if (firstS === 0) return;
    for (const [i, need] of this.needs.entries())
      if (need.point === point) this.needs[i] = { ...need, firstS: tookS, isMeasured: true };
    if (isMeasured === true) return;
    const { times, beyondS } = this.pace;
    const weight = (1 - memory) * Math.min(1, firstS / tellingS);
    const seen = firstS > 0 ? Math.min(mostPace, Math.max(1 / mostPace, (tookS - beyondS) / firstS)) : times;
    const seenBeyondS = Math.min(tellingS, Math.max(0, tookS - firstS * times));
    this.pace = {
      times: times + weight * (seen - times),
      beyondS: beyondS + (1 - memory - weight) * (seenBeyondS - beyondS),
    };
  }

  /** Seconds beyond first blocks that each of the slot's `cells` cells may use. */
  shareS(cells: number): number {
    return this.grantS / cells;
  }

  /** Seconds that the slot may still use. */
  remainsS(atS: number): number {
    return this.firstDoneS === null ? 0 : Math.min(this.firstDoneS + this.grantS, this.budgetS) - atS;
  }

  /**
   * Whether the next slot fits into the budget, including `startsS` seconds to start its launches. Otherwise removes the slot.
   * @param limitS limit to use instead of the budget
   */
  takesNext(atS: number, startsS: number, limitS = this.budgetS): boolean {
    const next = this.needs[0] ?? none;
    if (atS + startsS + firstBlocksS([next], this.pace) <= limitS) return true;
    this.needs.shift();
    return false;
  }

  /** Seconds left after the first blocks of all slots still to come. */
  freeS(atS: number): number {
    return Math.max(0, this.budgetS - atS - firstBlocksS(this.needs, this.pace));
  }

  /** Replaces the next `count` slots by others. */
  replace(count: number, needs: readonly BudgetNeed[]): void {
    this.needs.splice(0, count, ...needs);
  }

  /** Whether `costS` further seconds fit into the budget, besides the first blocks still to come. */
  affords(atS: number, costS: number): boolean {
    return atS + costS + firstBlocksS(this.needs, this.pace) <= this.budgetS;
  }

  /** Ends the slot, which has enough samples or no more time. */
  end(atS: number): void {
    if (this.firstDoneS !== null && this.grantS > 0) {
      const used = Math.min(1, (atS - this.firstDoneS) / this.grantS);
      this.use = memory * this.use + (1 - memory) * used;
    }
    this.grantS = 0;
  }

  leftS(atS: number): number {
    const elapsed = atS - this.beganS;
    const firstS =
      this.firstDoneS === null ? Math.max(0, firstBlocksS([this.current], this.pace) - elapsed) : 0;
    const moreS = this.firstDoneS === null ? this.grantS : Math.max(0, this.remainsS(atS));
    const nowS = firstS + this.use * moreS;
    const wholeS = nowS + expectedS(this.needs, this.budgetS - atS - nowS, this.pace, this.use);
    // Slots that do not fit are skipped, except the first slot of each point.
    return Math.min(wholeS, Math.max(this.budgetS - atS, nowS + this.firstVisitsS()));
  }

  /** Seconds of the first blocks of points that have no slot yet. */
  private firstVisitsS(): number {
    const seen = new Set([this.current.point]);
    const firsts = this.needs.filter(({ point, isMeasured }) => {
      const isFirst = isMeasured !== true && !seen.has(point);
      seen.add(point);
      return isFirst;
    });
    return firstBlocksS(firsts, this.pace);
  }
}
