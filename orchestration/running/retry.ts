// Selects disturbed cells that are measured again at the end of a run, and limits the time that this takes.
import { disturbedCells } from '../../results/derive/index.ts';
import type { BlockRequest, CellRecord, Retry, RunPlan } from '../../results/schema/index.ts';
import { launchesS } from '../../suites/costs.ts';
import { passS, pointPasses } from '../../suites/passes.ts';
import { estimateFirstS } from '../../suites/sampler/estimate.ts';
import { schedule } from '../../suites/schedule.ts';

/** Share of the time budget that is reserved for measuring configurations again that other programs disturbed. */
const retryShare = 1 / 3;

/**
 * Returns a copy of the plan whose time budget is `share(budget)`, both in seconds. A plan without a budget is returned itself.
 */
function withShareOfTime(plan: RunPlan, share: (budgetS: number) => number): RunPlan {
  const { adaptive } = plan.sampling;
  if (adaptive === undefined) return plan;
  return {
    ...plan,
    sampling: { ...plan.sampling, adaptive: { ...adaptive, budgetS: share(adaptive.budgetS) } },
  };
}

/**
 * Returns the plan for the first measurement. If the plan measures disturbed configurations again, this is a copy whose budget is
 * reduced by the time that is reserved for them; otherwise the plan itself.
 */
export const firstMeasurementPlan = (plan: RunPlan): RunPlan =>
  plan.sampling.retryFlagged === true ? withShareOfTime(plan, (budgetS) => budgetS * (1 - retryShare)) : plan;

export interface RetryPlan {
  /** Plan of the second measurement. Its time budget is the time that is left, minus the time to start launches. */
  plan: RunPlan;
  blocks: BlockRequest[];
  /** Configurations to measure again; empty if there is too little time. `leftOut`: number of other disturbed configurations. */
  cells: Retry['cells'];
  leftOut: number;
  /** Estimated minimum seconds of the second measurement. */
  estimateS: number;
  /** Seconds from the start of the second measurement after which no further point starts. */
  leftS: number;
  /** Minimum seconds between the starts of two launches of the same configuration. */
  apartS: number;
}

/** Maximum share of the spare time (time left minus `estimateS`) that pauses between launches may take. */
const pauseShare = 1 / 2;

/**
 * Selects the configurations that are measured again, because they have a flag of level `disturbs` with a temporary cause. They
 * are taken in the order of the plan. Each one that still fits into the rest of the time budget is selected, also after one that
 * was too long. Without a budget the limit is the duration of the first measurement or its estimate, whichever is longer.
 * @param tookS duration of the first measurement, seconds
 * @returns null if no configuration was disturbed
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
  // Few cells make a short pass. Pauses then keep their launches as far apart as in the first measurement, if time allows.
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
 * Yields the blocks, but skips blocks of points that would start after the time is used up. A point that has started is measured
 * to its end: its further launches come later among the blocks. Blocks that only check the algorithm (attest) are never skipped.
 * @param begun set to which the index of each started point is added
 * @param isSpent returns true if the time is used up
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
