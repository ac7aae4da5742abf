// What is measured again at the end of a run because it was disturbed, and how long that may take.
import { disturbedCells } from '../../results/derive/index.ts';
import type { BlockRequest, CellRecord, Retry, RunPlan, SamplingPlan } from '../../results/schema/index.ts';
import { launchesS } from '../../suites/costs.ts';
import { estimateFirstS } from '../../suites/estimate.ts';
import { passS, pointPasses } from '../../suites/passes.ts';
import { schedule } from '../../suites/schedule.ts';

/** Of the budget, kept for it. */
const retryShare = 1 / 3;

/** The plan with less time to be precise in. */
export const withShareOfTime = (plan: RunPlan, share: (budgetS: number) => number): RunPlan => ({
  ...plan,
  sampling: withBudget(plan.sampling, share),
});

function withBudget(sampling: SamplingPlan, share: (budgetS: number) => number): SamplingPlan {
  const { adaptive } = sampling;
  if (adaptive === undefined) return sampling;
  return { ...sampling, adaptive: { ...adaptive, budgetS: share(adaptive.budgetS) } };
}

/** As the cells are measured first: what is kept for the second time is not spent. */
export const firstMeasurementPlan = (plan: RunPlan): RunPlan =>
  plan.sampling.retryFlagged === true ? withShareOfTime(plan, (budgetS) => budgetS * (1 - retryShare)) : plan;

export interface RetryPlan {
  /** With the time that is left, after the launches, as its budget. */
  plan: RunPlan;
  blocks: BlockRequest[];
  /** Empty where there is no time for any. */
  cells: Retry['cells'];
  leftOut: number;
  /** Seconds that `blocks` take at least. */
  estimateS: number;
  /** Seconds after which no further point is begun. */
  leftS: number;
  /** Least seconds between the beginnings of two launches of a cell. */
  apartS: number;
}

/** Share of the spare time that pauses between launches may take. */
const pauseShare = 1 / 2;

/**
 * Disturbed cells, in the order of the plan, as many as the rest of the budget allows. With fixed counts that is as long as all
 * cells take once.
 * @param tookS of the first measurement
 * @returns null where nothing was disturbed
 */
export function secondTime(plan: RunPlan, cells: readonly CellRecord[], tookS: number): RetryPlan | null {
  const disturbed = disturbedCells(plan, cells);
  if (disturbed.length === 0) return null;
  const budgetS = plan.sampling.adaptive?.budgetS;
  const leftS = budgetS === undefined ? Math.max(tookS, estimateFirstS(plan)) : Math.max(budgetS - tookS, 0);
  const due: Retry['cells'] = [];
  const isAmong =
    (chosen: Retry['cells']) =>
    (point: number, transport: number): boolean =>
      chosen.some((one) => one.point === point && one.transport === transport);
  for (const one of disturbed) {
    if (estimateFirstS(plan, isAmong([...due, one])) <= leftS) due.push(one);
  }
  const estimateS = estimateFirstS(plan, isAmong(due));
  // Few cells fill no lap: their launches are kept as far apart as those of the first measurement, if there is time.
  const { launches, adaptive } = plan.sampling;
  const most = adaptive?.maxLaunches ?? launches;
  const dueLaps = pointPasses(plan).filter((points) => due.some(({ point }) => points.includes(point)));
  const pauses = Math.max(1, dueLaps.length * (most - 1));
  const apartS = Math.min(
    Math.min(passS, tookS) / most,
    (pauseShare * Math.max(0, leftS - estimateS)) / pauses,
  );
  const again = withShareOfTime(plan, () => Math.max(0, leftS - launchesS(plan, isAmong(due))));
  return {
    plan: again,
    blocks: schedule(again, isAmong(due)),
    cells: due,
    leftOut: disturbed.length - due.length,
    estimateS,
    leftS,
    apartS,
  };
}

/**
 * The blocks without those of points that would begin after the time is spent. Points that began are measured to their end,
 * because each launch goes over many points.
 * @param begun takes in the points as they begin
 */
export function* limitByTime(
  blocks: Iterable<BlockRequest>,
  begun: Set<number>,
  isSpent: () => boolean,
): Generator<BlockRequest> {
  for (const block of blocks) {
    const isAttest = block.trial === 'attest';
    if (!isAttest && !begun.has(block.point)) {
      if (isSpent()) continue;
      begun.add(block.point);
    }
    yield block;
  }
}
