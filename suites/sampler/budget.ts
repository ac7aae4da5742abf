// Divides the seconds of a run: the first blocks of all cells have priority, and further blocks share the rest.
import { type PointPlan, type RunPlan, timedTrialNames } from '../../results/schema/index.ts';
import { estimateOperationNs, launchSamples, sampleCell, shapeOf } from '../block-shapes.ts';
import { estimateBlockNs, type IsDue } from '../costs.ts';

/**
 * First estimate, 0 to 1: share of the time granted to slots after their first blocks that they really use. Shares measured during
 * the run replace it.
 */
export const expectedUse = 0.9;
/**
 * Weight of the previous average in the exponential averages of the correction (BudgetPace) and of the share of granted time that
 * slots use. A new observation has at most the weight 1 - `earlierWeight`.
 */
const earlierWeight = 0.5;

/**
 * Upper limit of the ratio measured / estimated time of a slot's first blocks; the lower limit is 1 / `maxPace`. A larger deviation
 * is an exceptional event, which does not predict later slots.
 */
const maxPace = 4;
/**
 * If the first blocks of a slot are estimated to take this many seconds or more, their measured time has full weight in the
 * corrected estimates. Shorter slots mainly show overhead, which does not grow with the message size.
 */
const fullWeightS = 1;

/**
 * Correction of estimates: the first blocks of a slot take `times` x their estimate (made before the run) + `beyondS` seconds, an
 * overhead that does not grow with the message size.
 */
export interface BudgetPace {
  times: number;
  beyondS: number;
}
export const asEstimated: BudgetPace = { times: 1, beyondS: 0 };
/**
 * Correction before anything is measured. Estimates are usually too high, but only large messages show this, and these are
 * measured last. Until then the factor 0.6 reserves less time for them.
 */
export const initialPace: BudgetPace = { times: 0.6, beyondS: 0 };
/**
 * Minimum share of the budget that all slots together may use after their first blocks, even if the first blocks still to come are
 * expected to use up the budget.
 */
const minShare = 1 / 4;

/**
 * Seconds that a slot (one launch) or a point (all launches) needs: `firstS` for the first block of each timing mode and transport,
 * `moreS` at most for further blocks.
 */
export interface BudgetNeed {
  /** Index into `points` of the plan. */
  point: number;
  firstS: number;
  /** True if `firstS` was measured in an earlier launch of the point. */
  isMeasured?: boolean;
  /**
   * Seconds that the first blocks of this slot will take, predicted from the blocks measured so far. It is set only if the slots
   * still to come are not expected to fit into the budget; otherwise it is absent or 0.
   */
  predictedS?: number;
  moreS: number;
}

/**
 * Estimated seconds that a point (one message size and other parameters) needs in all launches of the plan together. Zeros for a
 * plan with fixed counts.
 * @param index index into plan.points
 * @param isDue returns true for the points and transports still to be measured
 * @param all number of launches that the point gets, launches added to the plan included; with more launches each needs fewer
 * samples
 */
export function pointNeed(
  plan: RunPlan,
  index: number,
  isDue: IsDue = () => true,
  all = plan.sampling.launches,
): BudgetNeed {
  const { launches } = plan.sampling;
  const { point, firstS, moreS } = slotNeed(plan, index, isDue, all);
  return { point, firstS: launches * firstS, moreS: launches * moreS };
}

/**
 * Estimated seconds that a slot needs: one point (message size and other parameters) in one launch of each transport. Zeros for a
 * plan with fixed counts.
 * @param index index into plan.points
 * @param isDue returns true for the points and transports still to be measured
 * @param all number of launches that the point gets; with more launches each needs fewer samples
 */
export function slotNeed(
  plan: RunPlan,
  index: number,
  isDue: IsDue = () => true,
  all = plan.sampling.launches,
): BudgetNeed {
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
    need.moreS += maxS(plan, point, transport, launchSamples(plan, all));
  }
  return need;
}

/** Estimated seconds until one launch has `samples` samples in each timing mode. @param transport index into plan.transports */
function maxS(plan: RunPlan, point: PointPlan, transport: number, samples: number): number {
  const operationNs = estimateOperationNs(plan, point, transport);
  const planned = sampleCell(plan, point, transport, 1).blocks.map(({ trial }) => trial);
  const ns = timedTrialNames
    .filter((trial) => planned.includes(trial))
    .map((trial) => {
      const block = shapeOf(plan, trial, operationNs);
      return (samples / block.maxSamples) * estimateBlockNs(plan, point, transport, block);
    });
  return ns.reduce((sum, one) => sum + one, 0) / 1e9;
}

/**
 * Seconds that a slot is expected to use after its first blocks if it may use `grantS` seconds: the share `expectedUse` of the
 * granted time, or of the time it needs if that is less.
 */
export const expectedMoreS = ({ moreS }: BudgetNeed, grantS: number): number =>
  expectedUse * Math.min(moreS, grantS);

const maxMoreS = (needs: readonly BudgetNeed[]): number =>
  needs.reduce((total, { moreS }) => total + moreS, 0);

/**
 * Expected seconds of the first blocks of all slots in `needs`. Per slot: the time measured in an earlier launch of the same point
 * (`isMeasured`). Without one, the estimate of the plan (`firstS`), corrected to `times` x `firstS` + `beyondS`; or, if longer,
 * `predictedS`, which is computed from the blocks that this run has measured so far.
 * @param pace correction of estimates: factor `times`, and `beyondS` seconds added per slot
 */
export const firstBlocksS = (needs: readonly BudgetNeed[], { times, beyondS }: BudgetPace): number =>
  needs.reduce(
    (total, { firstS, isMeasured, predictedS = 0 }) =>
      total + (isMeasured === true ? firstS : Math.max(firstS * times + beyondS, predictedS)),
    0,
  );

/**
 * Expected seconds of all these slots or points: first blocks and further blocks.
 * @param leftS seconds left in the budget
 * @param pace correction of estimates
 * @param use share of the granted time that is really used, 0 to 1
 */
export function expectedS(
  needs: readonly BudgetNeed[],
  leftS: number,
  pace: BudgetPace,
  use: number,
): number {
  const firstS = firstBlocksS(needs, pace);
  return firstS + use * Math.min(maxMoreS(needs), Math.max(0, leftS - firstS));
}

const none: BudgetNeed = { point: -1, firstS: 0, moreS: 0 };

export class SamplingBudget {
  /** Seconds after the start of the run at which the last sample must be taken: the budget without the end of the run. */
  private readonly samplingS: number;
  /** Seconds that the slots still to come need, in order of measuring. */
  private readonly needs: BudgetNeed[];
  private current: BudgetNeed = none;
  private pace = initialPace;
  private readonly minS: number;
  private use = expectedUse;
  private beganS = 0;
  private firstDoneS: number | null = null;
  private grantS = 0;

  constructor(samplingS: number, needs: readonly BudgetNeed[]) {
    this.samplingS = samplingS;
    this.needs = [...needs];
    this.minS = (samplingS * minShare) / Math.max(1, needs.length);
  }

  /**
   * Begins the next slot and decides how many seconds (its grant) it may use after its first blocks.
   * @param atS seconds since the start of the run
   * @param reservedS seconds kept free for starting further launches
   */
  begin(atS: number, reservedS = 0): void {
    this.current = this.needs.shift() ?? none;
    this.beganS = atS;
    this.firstDoneS = null;
    const firstS = firstBlocksS([this.current, ...this.needs], this.pace);
    const free = Math.max(0, this.samplingS - atS - reservedS - firstS);
    const least = Math.min(this.minS, Math.max(0, this.samplingS - atS));
    this.grantS = Math.max(free / (this.needs.length + 1), least);
  }

  /**
   * Records that the first blocks of the slot are measured, and corrects the estimates for later slots. Further calls for the same
   * slot have no effect.
   * @param atS seconds since the start of the run
   * @param startsS seconds of the slot in which launches started; they do not count as time of the blocks
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
    const weight = (1 - earlierWeight) * Math.min(1, firstS / fullWeightS);
    const seen = firstS > 0 ? Math.min(maxPace, Math.max(1 / maxPace, (tookS - beyondS) / firstS)) : times;
    const seenBeyondS = Math.min(fullWeightS, Math.max(0, tookS - firstS * times));
    this.pace = {
      times: times + weight * (seen - times),
      beyondS: beyondS + (1 - earlierWeight - weight) * (seenBeyondS - beyondS),
    };
  }

  /**
   * Seconds of its grant and of the budget that the current slot may still use; negative if it has used more. 0 until its first
   * blocks are measured.
   * @param atS seconds since the start of the run
   */
  remainsS(atS: number): number {
    return this.firstDoneS === null ? 0 : Math.min(this.firstDoneS + this.grantS, this.samplingS) - atS;
  }

  /** Removes the next slot from the time plan, because the slot does not fit into the budget and is skipped. */
  skip(): void {
    this.needs.shift();
  }

  /**
   * Sets the predicted time of the first blocks of the next slots. A prediction counts only if it is above the estimate, and only
   * for points without a measured slot. Predictions for more slots than planned are ignored.
   * @param seconds seconds per slot, beginning with the next slot; 0 = no prediction
   */
  predict(seconds: readonly number[]): void {
    for (const [i, predictedS] of seconds.entries()) {
      const need = this.needs[i];
      if (need !== undefined) this.needs[i] = { ...need, predictedS };
    }
  }

  /** Seconds that each of the next `count` slots needs, and the expected seconds of all their first blocks together. */
  upcoming(count: number): { needs: readonly BudgetNeed[]; firstS: number } {
    const needs = this.needs.slice(0, count);
    return { needs, firstS: firstBlocksS(needs, this.pace) };
  }

  /**
   * Seconds of the budget that are left after the first blocks of all slots still to come.
   * @param atS seconds since the start of the run
   */
  freeS(atS: number): number {
    return Math.max(0, this.samplingS - atS - firstBlocksS(this.needs, this.pace));
  }

  /**
   * Skips the next `kept` slots, removes the `count` planned slots after them, and inserts other slots in their place.
   * @param needs time needs of the inserted slots
   */
  replace(count: number, needs: readonly BudgetNeed[], kept = 0): void {
    this.needs.splice(kept, count, ...needs);
  }

  /**
   * True if `costS` further seconds fit into the budget while enough time stays reserved for the first blocks of all slots
   * still to come.
   * @param atS seconds since the start of the run
   */
  affords(atS: number, costS: number): boolean {
    return atS + costS + firstBlocksS(this.needs, this.pace) <= this.samplingS;
  }

  /**
   * Ends the current slot (one point in one launch). Notes which share of the time granted after its first blocks was used, to
   * improve later estimates.
   * @param atS seconds since the start of the run
   */
  end(atS: number): void {
    if (this.firstDoneS !== null && this.grantS > 0) {
      const used = Math.min(1, (atS - this.firstDoneS) / this.grantS);
      this.use = earlierWeight * this.use + (1 - earlierWeight) * used;
    }
    this.grantS = 0;
  }

  leftS(atS: number): number {
    const elapsed = atS - this.beganS;
    const firstS =
      this.firstDoneS === null ? Math.max(0, firstBlocksS([this.current], this.pace) - elapsed) : 0;
    const moreS = this.firstDoneS === null ? this.grantS : Math.max(0, this.remainsS(atS));
    const nowS = firstS + this.use * moreS;
    const wholeS = nowS + expectedS(this.needs, this.samplingS - atS - nowS, this.pace, this.use);
    // Slots that do not fit are skipped, except the first slot of each point.
    return Math.min(wholeS, Math.max(this.samplingS - atS, nowS + this.firstVisitsS()));
  }

  /**
   * Expected seconds of the first blocks of all points that have no measured slot yet: of each such point only the next slot
   * counts. The current point is left out.
   */
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
