// Turns the order of measuring (suites/passes.ts) into slots of the adaptive sampler: one point in one launch of each transport.
import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import type { IsDue } from '../costs.ts';
import { hasFirstPass } from '../passes.ts';
import { type BudgetNeed, slotNeed } from './budget.ts';
import { plannedLaunches } from './pass-launches.ts';

/**
 * Smallest unit of the adaptive sampler's schedule: one point (message size and other parameters) in one launch (start of all
 * rank processes) of each transport.
 */
export interface SamplingSlot {
  point: number;
  launch: number;
  /**
   * First blocks (timed series of samples) of the slot, one per timing mode and transport. Empty if the launches already have
   * samples of this point.
   */
  blocks: BlockRequest[];
  need: BudgetNeed;
}

export interface SamplingPass {
  /**
   * Indices of the points whose precision is judged after the pass. Empty in the first pass over all points, after which nothing is
   * judged.
   */
  points: readonly number[];
  /** Slots of the pass (one point in one launch each) that are still to be measured, in order. */
  slots: SamplingSlot[];
  /** Number of launches that each point gets, the launches of the plan included. */
  launches: number;
  /** Time needed by launches that are added only if the budget allows it; one entry per slot of such launches. */
  further: BudgetNeed[];
}

/**
 * Divides the blocks of a plan into passes, and each pass into slots (one point in one launch of each transport).
 * @param passes for each pass the indices of its points
 * @param blocks blocks in the order of measuring; `attest` blocks, whose times are not used, are ignored
 * @returns the first pass over all points, if the plan has one, then the passes of `passes`
 */
export function samplingPasses(
  plan: RunPlan,
  passes: readonly (readonly number[])[],
  blocks: readonly BlockRequest[],
): SamplingPass[] {
  const passOf = new Map(passes.flatMap((points, pass) => points.map((point) => [point, pass] as const)));
  const due = new Set(blocks.map(({ point, transport }) => `${point} ${transport}`));
  const isDue: IsDue = (point, transport) => due.has(`${point} ${transport}`);
  const firstPass: SamplingSlot[] = [];
  const found = new Map<number, SamplingSlot[]>();
  const isFirstPass = hasFirstPass(plan);
  const launches = plannedLaunches(plan, passes, isDue);
  for (const block of blocks) {
    if (block.trial === 'attest') continue;
    const { point, launch } = block;
    const pass = passOf.get(point) ?? 0;
    const slotsOfPass = found.get(pass) ?? [];
    found.set(pass, slotsOfPass);
    const slots = isFirstPass && launch === 0 ? firstPass : slotsOfPass;
    const last = slots.at(-1);
    const own = { ...block, completesCell: false };
    if (last?.point === point && last.launch === launch) last.blocks.push(own);
    else slots.push({ point, launch, blocks: [own], need: slotNeed(plan, point, isDue, launches[pass]) });
  }
  // The blocks may come from a plan with another budget, which divides points into other passes.
  for (const slots of found.values()) slots.sort((a, b) => a.launch - b.launch || a.point - b.point);
  const judged = [...found].map(([pass, slots]): SamplingPass => {
    const points = (passes[pass] ?? []).filter((point) =>
      plan.transports.some((_, over) => isDue(point, over)),
    );
    // Time for further launches is reserved only when the pass begins. Otherwise the planned launches would be far shorter than
    // others.
    return { points, slots, launches: launches[pass] ?? plan.sampling.launches, further: [] };
  });
  if (firstPass.length === 0) return judged;
  return [{ points: [], slots: firstPass, launches: Math.max(...launches), further: [] }, ...judged];
}
