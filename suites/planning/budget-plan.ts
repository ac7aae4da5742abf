// Checks whether a plan fits into its time budget. Without a budget, chooses options that the user did not set.
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { formatDuration, plural, sizeFlag } from '../../results/units.ts';
import { overheadS } from '../costs.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { estimateLaunchesS, estimateMinS, estimateRunS } from '../sampler/estimate.ts';
import { largestMax } from '../sets.ts';
import { generateSizes } from '../sizes.ts';
import type { MeasuredCommand } from '../workloads/index.ts';

/** Default time budget of a run in seconds, if the user did not give --budget. */
export const usualBudgetS = 120;

/** Share of the budget that a suggested plan may use by estimate. The rest is kept free, because estimates can be too low. */
const safeShare = 0.7;

/**
 * Estimated seconds to measure all configurations, each in one launch. Starting the ranks is included; start and end of the run are
 * not.
 */
const minWorkS = (plan: RunPlan): number => estimateMinS(plan) - overheadS(plan);

/** Options that the user did not set, so that the planner may choose their values. */
export interface UnsetOptions {
  /**
   * Names of the options that the user did not set: the planner may change their values if the run would take too long. Absent
   * for suite files, because their plans must not change between repetitions.
   */
  free?: readonly UnsetOption[];
}

/** Keys of the options whose values the planner may change if the user did not set them. */
export const freeOptions = ['max', 'factor', 'warmup'] as const;
export type UnsetOption = (typeof freeOptions)[number];

type BudgetOptions = PlanOptions & UnsetOptions;

/** Option values that the planner chooses so that a command without --budget ends within the usual time. */
type BudgetChoice = Partial<Pick<PlanOptions, 'launches' | UnsetOption>>;

export interface BudgetPlan {
  plan: RunPlan;
  /**
   * Text for the user that says which values were chosen, or that the run takes long; null if nothing was chosen and no warning is
   * needed.
   */
  note: string | null;
}

/** Values of --factor (ratio of consecutive sizes) that the planner may choose. */
const widerFactors = [4, 8, 16];
/** Lowest --max in bytes that the planner may choose. Smaller messages would not show bandwidth. */
const lowestMax = 2 ** 20;

/**
 * True if the plan ends within the usual time (`usualBudgetS`) on an idle host. With adaptive sampling, true if one launch of each
 * configuration takes at most `safeShare` of that time. The host's present load is ignored, so that equal commands get equal plans.
 */
const fitsUsual = (plan: RunPlan): boolean =>
  plan.sampling.adaptive === undefined
    ? estimateRunS(plan) <= usualBudgetS
    : minWorkS(plan) <= safeShare * usualBudgetS;

/**
 * Makes the plan, shortened to the usual time (`usualBudgetS`) if the user set no budget. Options that the user set stay. Others
 * are changed until fitsUsual() holds: a larger factor, a lower max, and with fixed counts fewer launches and warm-up operations.
 * If that is not enough, the result is longPlan(). In suites (`free` is absent) an adaptive budget grows instead.
 * @param planOf makes the plan with these options changed
 */
export function withinUsualTime(
  command: MeasuredCommand,
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

function* choicesOf(
  { workload }: MeasuredCommand,
  options: BudgetOptions,
  usual: RunPlan,
): Generator<BudgetChoice> {
  const { launches } = usual.sampling;
  const isFixed = usual.sampling.adaptive === undefined && options.launches === null;
  if (isFixed) for (let n = launches - 1; n > 0; n--) yield { launches: n };
  const isFree = (key: UnsetOption) => options.free?.includes(key) === true;
  const fixed: BudgetChoice = isFixed && launches > 1 ? { launches: 1 } : {};
  const colder: BudgetChoice = isFixed && isFree('warmup') ? { ...fixed, warmup: 1 } : fixed;
  yield colder;
  // Workloads without message sizes have no sizes to choose.
  if (workload.unusedOptions.includes('max')) return;
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

/** True if max is one of the sizes min, min x factor, min x factor x factor, ... */
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

/**
 * The plan if no values that the planner may choose end within the usual time. With fixed counts it has one launch, or the launches
 * that the user set. With adaptive sampling it has unchanged options, and a longer budget if the user set --launches. Its note says
 * how long the run takes.
 * @param usual the plan with unchanged options
 * @param planOf makes the plan with other option values
 */
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
  const least = formatDuration(estimateMinS(usual));
  const { launches } = usual.sampling;
  return {
    plan: usual,
    note: `one launch of ${cells} takes about ${least}; --budget ${budgetText(launchesBudgetS(usual))} has ${launches} launches`,
  };
}

/**
 * Time budget in seconds for all planned launches: their estimated time takes 70 % of it. Rounded up to 10 s, above 90 s to a
 * minute.
 */
const launchesBudgetS = (plan: RunPlan): number => roundUp(estimateLaunchesS(plan) / safeShare);

/**
 * Returns the plan with a budget that is long enough for all of its launches, and a note about it. A plan with fixed counts has no
 * budget and is returned unchanged.
 */
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

/**
 * Note for a run of more than a minute by estimate, printed before it starts; null if the user set a budget or the run is shorter.
 * @param budget seconds of --budget; null = the user set none
 */
export function longRunNote(plan: RunPlan, budget: number | null): string | null {
  if (budget !== null || estimateRunS(plan) <= 60) return null;
  const shorter = plan.sampling.adaptive === undefined ? '--iters or --max' : '--budget 30s';
  return `takes about ${formatDuration(plan.estimateS)}; ${shorter} makes it shorter`;
}

/**
 * Checks that the plan fits into the budget that the user set; a default budget is not checked.
 * @throws Refusal if all configurations, each in one launch, take longer than the budget by estimate
 */
export function requireFitsBudget(plan: RunPlan, command: MeasuredCommand): void {
  const { adaptive } = plan.sampling;
  if (adaptive?.isLimit !== true) return;
  const minS = minWorkS(plan);
  if (minS <= adaptive.budgetS) return;
  const largest = largestThatFits(plan, command, safeShare * adaptive.budgetS);
  throw refuse('budget-too-short', {
    budget: budgetText(adaptive.budgetS),
    cells: plan.expected.cells,
    minS,
    enough: budgetText(roundUp(estimateMinS(plan) / safeShare)),
    size: largest,
  });
}

/**
 * Highest value of --max, as text ("64M"), with which all configurations, each in one launch, take at most `limitS` seconds. Null
 * if there is none below the plan's largest size, or if the workload has no --max.
 */
const largestThatFits = (plan: RunPlan, { workload }: MeasuredCommand, limitS: number): string | null =>
  workload.unusedOptions.includes('max')
    ? null
    : largestMax(plan, (points) => minWorkS({ ...plan, points }) <= limitS);

function roundUp(seconds: number): number {
  const step = seconds <= 90 ? 10 : 60;
  return Math.ceil(seconds / step) * step;
}

/** Duration as text that the option --budget accepts: "5m", "90s". */
const budgetText = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);
