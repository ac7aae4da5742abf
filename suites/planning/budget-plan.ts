// Whether a plan fits into its time budget, what of it does, and what a command without a budget leaves to be asked for.
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { formatDuration, plural, sizeFlag } from '../../results/units.ts';
import { overheadS } from '../costs.ts';
import { estimateRunS } from '../estimate.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { estimateLaunchesS, estimateLeastS } from '../sampler/budget.ts';
import { largestMax } from '../sets.ts';
import { generateSizes } from '../sizes.ts';
import { planningOfCommand } from '../workloads/index.ts';

/** Where --budget is not given. */
export const usualBudgetS = 120;

/** What is recommended takes this share of its budget, so that an estimate may be wrong. */
const safeShare = 0.7;

/** Seconds of one launch of each configuration; the start and the end of a run take theirs whatever it measures. */
const leastWorkS = (plan: RunPlan): number => estimateLeastS(plan) - overheadS(plan);

/** What a command line leaves open. */
export interface UnsetOptions {
  /**
   * Options that nobody named: a plan that takes too long may choose other values. Absent where a file, not a command
   * line, asks: what is measured again and again stays as it is.
   */
  free?: readonly UnsetOption[];
}

/** Options that a plan may choose. */
export const freeOptions = ['max', 'factor', 'warmup'] as const;
export type UnsetOption = (typeof freeOptions)[number];

type BudgetOptions = PlanOptions & UnsetOptions;

/** What a command without --budget may choose to end within the usual time. */
type BudgetChoice = Partial<Pick<PlanOptions, 'launches' | UnsetOption>>;

export interface BudgetPlan {
  plan: RunPlan;
  /** What was chosen and how to get the rest, or that it takes longer; null where nothing is to be said. */
  note: string | null;
}

/** Factors between sizes that nobody chose. */
const widerFactors = [4, 8, 16];
/** No lower maximum is chosen: bandwidth is seen from here on. */
const lowestMax = 2 ** 20;

/** Whether a plan ends within the usual time on an idle machine; the choice must be the same on a busy one. */
const fitsUsual = (plan: RunPlan): boolean =>
  plan.sampling.adaptive === undefined
    ? estimateRunS(plan) <= usualBudgetS
    : leastWorkS(plan) <= safeShare * usualBudgetS;

/**
 * A plan within the usual time where no budget was given. Launches, sizes and samples that the command line names are kept;
 * of the others fewer are chosen, until one launch of each configuration fits.
 * @param planOf the plan with these options instead
 */
export function withinUsualTime(
  command: string,
  options: BudgetOptions,
  planOf: (choice: BudgetChoice) => RunPlan,
): BudgetPlan {
  const usual = planOf({});
  if (options.budget !== null || fitsUsual(usual)) return { plan: usual, note: null };
  if (options.free === undefined) return withAllLaunches(usual);
  for (const choice of choicesOf(command, options, usual)) {
    const plan = planOf(choice);
    if (plan.points.length > 0 && fitsUsual(plan)) return { plan, note: choiceNote(choice, options, usual) };
  }
  return longPlan(options, usual, planOf);
}

function* choicesOf(command: string, options: BudgetOptions, usual: RunPlan): Generator<BudgetChoice> {
  const { launches } = usual.sampling;
  const isFixed = usual.sampling.adaptive === undefined && options.launches === null;
  if (isFixed) for (let n = launches - 1; n > 0; n--) yield { launches: n };
  const isFree = (key: UnsetOption) => options.free?.includes(key) === true;
  const fixed: BudgetChoice = isFixed && launches > 1 ? { launches: 1 } : {};
  const colder: BudgetChoice = isFixed && isFree('warmup') ? { ...fixed, warmup: 1 } : fixed;
  yield colder;
  // Workloads without messages of a size have none to choose.
  if (planningOfCommand(command).ignores.includes('max')) return;
  const factors = isFree('factor') ? widerFactors.filter((factor) => factor > options.factor) : [];
  for (const factor of [options.factor, ...factors])
    for (const max of isFree('max') ? maximaOf(options) : [options.max])
      if (factor === options.factor || endsAt(options.min, max, factor))
        yield {
          ...colder,
          ...(factor === options.factor ? {} : { factor }),
          ...(max === options.max ? {} : { max }),
        };
}

function maximaOf({ min, max }: BudgetOptions): number[] {
  const found = [max];
  for (let next = max / 2; next >= Math.max(lowestMax, min); next /= 2) found.push(next);
  return found;
}

/** Whether the largest size is among those with this factor between them. */
const endsAt = (min: number, max: number, factor: number): boolean =>
  generateSizes({ kind: 'factor', min, max, factor }, 1).at(-1) === max;

function choiceNote(
  { launches, warmup, max, factor }: BudgetChoice,
  options: BudgetOptions,
  usual: RunPlan,
): string {
  const chosen: string[] = [];
  const rest: string[] = [];
  const put = (flag: string, now: string, before: string) => {
    chosen.push(`${flag} ${now}`);
    rest.push(`${flag} ${before}`);
  };
  if (launches != null) put('--launches', String(launches), String(usual.sampling.launches));
  if (warmup !== undefined) put('--warmup', String(warmup), String(options.warmup));
  if (factor !== undefined) put('--factor', String(factor), String(options.factor));
  if (max !== undefined) put('--max', sizeFlag(max), sizeFlag(options.max));
  const time = formatDuration(estimateRunS(usual));
  return `chose ${chosen.join(' ')} to end within ${formatDuration(usualBudgetS)}; ${rest.join(' ')} takes about ${time}`;
}

/** What the command line names takes longer than the usual time: one launch of each, or all launches that it names. */
function longPlan(
  options: BudgetOptions,
  usual: RunPlan,
  planOf: (choice: BudgetChoice) => RunPlan,
): BudgetPlan {
  const { adaptive } = usual.sampling;
  const cells = plural(usual.expected.cells, 'configuration');
  if (adaptive === undefined) {
    const plan = options.launches === null ? planOf({ launches: 1 }) : usual;
    const less = '--max, --iters or --sizes make it shorter';
    const more =
      plan === usual ? '' : `; --launches ${usual.sampling.launches} gives intervals between launches`;
    return {
      plan,
      note: `${cells} with these samples take about ${formatDuration(estimateRunS(plan))}: ${less}${more}`,
    };
  }
  if (options.launches !== null) return withAllLaunches(usual);
  const least = formatDuration(estimateLeastS(usual));
  const { launches } = usual.sampling;
  return {
    plan: usual,
    note: `one launch of ${cells} takes about ${least}; --budget ${budgetText(launchesBudgetS(usual))} has ${launches} launches`,
  };
}

/** A budget in which all launches of the plan fit. */
const launchesBudgetS = (plan: RunPlan): number => roundUp(estimateLaunchesS(plan) / safeShare);

/** The plan with a budget for all of its launches; fixed counts have none. */
function withAllLaunches(plan: RunPlan): BudgetPlan {
  const { sampling } = plan;
  const { adaptive, launches } = sampling;
  if (adaptive === undefined) return { plan, note: null };
  const budgetS = launchesBudgetS(plan);
  const what = `${plural(launches, 'launch', 'launches')} of ${plural(plan.expected.cells, 'configuration')}`;
  return {
    plan: { ...plan, sampling: { ...sampling, adaptive: { ...adaptive, budgetS } } },
    note: `${what}: the time budget is ${formatDuration(budgetS)}; --budget sets a limit`,
  };
}

/** What a run of more than a minute says before it starts; null where a budget was given or it is shorter. */
export function longRunNote(plan: RunPlan, budget: number | null): string | null {
  if (budget !== null || estimateRunS(plan) <= 60) return null;
  const shorter = plan.sampling.adaptive === undefined ? '--iters or --max' : '--budget 30s';
  return `takes about ${formatDuration(plan.estimateS)}; ${shorter} makes it shorter`;
}

/** @throws Refusal one launch of each configuration takes longer than the budget that was given */
export function requireFitsBudget(plan: RunPlan, command: string): void {
  const { adaptive } = plan.sampling;
  if (adaptive?.isLimit !== true) return;
  const leastS = leastWorkS(plan);
  if (leastS <= adaptive.budgetS) return;
  const largest = largestThatFits(plan, command, safeShare * adaptive.budgetS);
  throw refuse('budget-too-short', {
    budget: budgetText(adaptive.budgetS),
    cells: plan.expected.cells,
    leastS,
    enough: budgetText(roundUp(estimateLeastS(plan) / safeShare)),
    size: largest,
  });
}

/** The largest --max with which a launch of each configuration takes so many seconds at most; null where none does. */
const largestThatFits = (plan: RunPlan, command: string, limitS: number): string | null =>
  planningOfCommand(command).ignores.includes('max')
    ? null
    : largestMax(plan, (points) => leastWorkS({ ...plan, points }) <= limitS);

function roundUp(seconds: number): number {
  const step = seconds <= 90 ? 10 : 60;
  return Math.ceil(seconds / step) * step;
}

/** The time in the form that --budget takes. */
const budgetText = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);
