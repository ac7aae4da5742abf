// Whether a plan fits into its time budget, and what of it does.
import { refuse } from '../../results/refusals/refusal.ts';
import { type PointPlan, type RunPlan, workloadOf, xOf } from '../../results/schema/index.ts';
import { formatDuration, plural, sizeFlag } from '../../results/units.ts';
import { aroundS } from '../costs.ts';
import { estimateLaunchesS, estimateLeastS } from '../sampler/budget.ts';
import { planningOfCommand } from '../workloads/index.ts';

/** Where --budget is not given. */
export const usualBudgetS = 120;

/** What is recommended takes this share of its budget, so that an estimate may be wrong. */
const safeShare = 0.7;

/** Seconds of one launch of each configuration; the start and the end of a run take theirs whatever it measures. */
const leastWorkS = (plan: RunPlan): number => estimateLeastS(plan) - aroundS(plan);

/** The budget that a plan gets where none was given, and why it is not the usual one. */
export function neededBudget(plan: RunPlan): { budgetS: number; note: string } | null {
  const { adaptive } = plan.sampling;
  if (adaptive === undefined || leastWorkS(plan) <= safeShare * adaptive.budgetS) return null;
  const budgetS = roundUp(estimateLaunchesS(plan) / safeShare);
  const { cells } = plan.expected;
  return {
    budgetS,
    note: `time budget raised from ${formatDuration(usualBudgetS)} to ${formatDuration(budgetS)} for ${plural(cells, 'configuration')}; --budget sets a limit`,
  };
}

/** @throws Refusal one launch of each configuration takes longer than the budget that was given */
export function requireFitsBudget(plan: RunPlan, command: string): void {
  const { adaptive } = plan.sampling;
  if (adaptive === undefined) return;
  const leastS = leastWorkS(plan);
  if (leastS <= adaptive.budgetS) return;
  const largest = largestThatFits(plan, command, safeShare * adaptive.budgetS);
  throw refuse('budget-too-short', {
    budget: budgetText(adaptive.budgetS),
    cells: plan.expected.cells,
    leastS,
    enough: budgetText(roundUp(estimateLeastS(plan) / safeShare)),
    size: largest === null ? null : sizeFlag(largest),
  });
}

const sizeOf = ({ workload, axes, requestedX }: PointPlan): number =>
  requestedX ?? xOf(workloadOf(workload), axes)?.value ?? 0;

/** The largest --max with which a launch of each configuration takes so many seconds at most; null where none does. */
function largestThatFits(plan: RunPlan, command: string, limitS: number): number | null {
  if (planningOfCommand(command).ignores.includes('max') || plan.command.includes('--sizes')) return null;
  const sizes = [...new Set(plan.points.map(sizeOf))].sort((a, b) => b - a);
  const fits = (largest: number): boolean =>
    leastWorkS({ ...plan, points: plan.points.filter((point) => sizeOf(point) <= largest) }) <= limitS;
  return sizes.find((size, i) => i > 0 && fits(size)) ?? null;
}

function roundUp(seconds: number): number {
  const step = seconds <= 90 ? 10 : 60;
  return Math.ceil(seconds / step) * step;
}

/** The time in the form that --budget takes. */
const budgetText = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);
