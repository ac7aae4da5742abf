// How the seconds of a run are shared out: first every cell gets its first blocks, what is left goes to further ones.
import { type PointPlan, type RunPlan, timedTrialNames } from '../../results/schema/index.ts';
import { estimateBlockNs, furtherLaunchesS, type IsDue, launchesS, overheadS } from '../costs.ts';
import { estimateOperationNs, maxLaunchSamples, sampleCell, shapeOf } from '../sampling.ts';

/** Share of the time it may have beyond the first blocks that a cell is thought to take; what is measured soon replaces it. */
const expectedUse = 0.7;
/** Weight of what was seen before each further point. */
const memory = 0.5;

/** A visit that took longer than so many times its estimate met something that says little about the next. */
const mostPace = 4;
/** A visit of so many seconds tells at full weight how others of many seconds go; of one much shorter only its overhead is
 * seen, which does not grow with the message. */
const tellingS = 1;

/** How first blocks go against their estimate: measured over estimated, and seconds beside that of every point. */
interface BudgetPace {
  times: number;
  beyondS: number;
}
const asEstimated: BudgetPace = { times: 1, beyondS: 0 };
/** Estimates are cautious, and large messages, which show it, come last: until then less is set aside for them. */
const untilSeen: BudgetPace = { times: 0.6, beyondS: 0 };
/** Of the budget, shared by all points whatever the first blocks of later ones are thought to take. */
const leastShare = 1 / 4;

/** Seconds of the first blocks, and what it may have beyond them: of a visit, or of a point. */
export interface BudgetNeed {
  point: number;
  firstS: number;
  /** `firstS` is what an earlier launch of the point took. */
  isMeasured?: boolean;
  moreS: number;
}

/** Of a point over all launches of the plan. @param isDue cells of the point that are measured */
export function needOf(plan: RunPlan, index: number, isDue: IsDue = () => true): BudgetNeed {
  const { launches } = plan.sampling;
  const { point, firstS, moreS } = visitNeed(plan, index, isDue);
  return { point, firstS: launches * firstS, moreS: launches * moreS };
}

/** Of a point in one launch of each transport. */
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
    // The first blocks count, too, but what they take is only known once they are there.
    need.moreS += mostS(plan, point, transport);
  }
  return need;
}

/** Of a point in the launches that it may have beyond those of the plan. */
export function furtherNeeds(plan: RunPlan, index: number, isDue: IsDue = () => true): BudgetNeed[] {
  const { launches, adaptive } = plan.sampling;
  const further = Math.max(0, (adaptive?.maxLaunches ?? launches) - launches);
  const need = visitNeed(plan, index, isDue);
  return Array.from({ length: further }, () => need);
}

/** Seconds in which one launch has as many samples of each trial as are ever taken. */
function mostS(plan: RunPlan, point: PointPlan, transport: number): number {
  const operationNs = estimateOperationNs(plan, point, transport);
  const ns = timedTrialNames.map((trial) => {
    const block = shapeOf(plan, trial, operationNs);
    return (maxLaunchSamples / block.maxSamples) * estimateBlockNs(plan, point, transport, block);
  });
  return ns.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Seconds that a need is thought to take beyond its first blocks where it is given so many. */
export const moreOf = ({ moreS }: BudgetNeed, grantS: number): number =>
  expectedUse * Math.min(moreS, grantS);

const mostMoreS = (needs: readonly BudgetNeed[]): number =>
  needs.reduce((total, { moreS }) => total + moreS, 0);

/** Seconds of the first blocks of all these: as measured in an earlier launch of the point, else at this pace. */
const firstBlocksS = (needs: readonly BudgetNeed[], { times, beyondS }: BudgetPace): number =>
  needs.reduce(
    (total, { firstS, isMeasured }) => total + (isMeasured === true ? firstS : firstS * times + beyondS),
    0,
  );

/** Seconds a run of these needs takes. */
function expectedS(needs: readonly BudgetNeed[], leftS: number, pace: BudgetPace, use: number): number {
  const firstS = firstBlocksS(needs, pace);
  return firstS + use * Math.min(mostMoreS(needs), Math.max(0, leftS - firstS));
}

/** Seconds of a run with the first blocks of all launches of the plan. */
export function estimateLaunchesS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => needOf(plan, point, isDue));
  return overheadS(plan) + launchesS(plan, isDue) + firstBlocksS(needs, asEstimated);
}

/** Seconds an adaptive run takes before anything of it is known. */
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

/** Seconds of a run with one launch of each point, which is the least that is measured. */
export function estimateLeastS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => visitNeed(plan, point, isDue));
  const startsS = launchesS(plan, isDue) / plan.sampling.launches;
  return overheadS(plan) + startsS + firstBlocksS(needs, asEstimated);
}

/** Seconds of the launches and the first blocks. */
export function estimateFirstBlocksS(plan: RunPlan, isDue: IsDue = () => true): number {
  const needs = [...plan.points.keys()].map((point) => needOf(plan, point, isDue));
  return launchesS(plan, isDue) + firstBlocksS(needs, untilSeen);
}

const none: BudgetNeed = { point: -1, firstS: 0, moreS: 0 };

export class SamplingBudget {
  private readonly budgetS: number;
  /** Of the visits still to come. */
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

  /** The next visit begins; it may take `grantS` beyond its first blocks. @param reservedS for starts of launches to come */
  begin(atS: number, reservedS = 0): void {
    this.current = this.needs.shift() ?? none;
    this.beganS = atS;
    this.firstDoneS = null;
    const firstS = firstBlocksS([this.current, ...this.needs], this.pace);
    const free = Math.max(0, this.budgetS - atS - reservedS - firstS);
    const least = Math.min(this.leastS, Math.max(0, this.budgetS - atS));
    this.grantS = Math.max(free / (this.needs.length + 1), least);
  }

  /** The first blocks of the visit are there. @param startsS seconds of launches that began meanwhile */
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

  /** Of the seconds the visit may take beyond its first blocks, those of one of its `cells`. */
  shareS(cells: number): number {
    return this.grantS / cells;
  }

  /** Seconds the visit may still take. */
  remainsS(atS: number): number {
    return this.firstDoneS === null ? 0 : Math.min(this.firstDoneS + this.grantS, this.budgetS) - atS;
  }

  /**
   * Whether the next visit fits in, with so many seconds for its starts; it is left out where it does not.
   * @param limitS absent = the budget
   */
  takesNext(atS: number, startsS: number, limitS = this.budgetS): boolean {
    const next = this.needs[0] ?? none;
    if (atS + startsS + firstBlocksS([next], this.pace) <= limitS) return true;
    this.needs.shift();
    return false;
  }

  /** Seconds that nothing to come needs for its first blocks. */
  freeS(atS: number): number {
    return Math.max(0, this.budgetS - atS - firstBlocksS(this.needs, this.pace));
  }

  /** Other visits come than was thought: instead of the next `count` of them these. */
  replace(count: number, needs: readonly BudgetNeed[]): void {
    this.needs.splice(0, count, ...needs);
  }

  /** Whether there is time for so many seconds more. */
  affords(atS: number, costS: number): boolean {
    return atS + costS + firstBlocksS(this.needs, this.pace) <= this.budgetS;
  }

  /** The visit has what it needs, or no more time. */
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
    // Visits that do not fit are left out, but for the first of each point.
    return Math.min(wholeS, Math.max(this.budgetS - atS, nowS + this.firstVisitsS()));
  }

  /** Seconds of the first blocks of points that have not been visited. */
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
