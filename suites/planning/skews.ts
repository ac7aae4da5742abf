// Late ranks: each delay of --skew makes a separate series, interleaved with the others.
import { refuse } from '../../results/refusals/refusal.ts';
import { type FixedChoice, skewSetting, skewText } from '../../results/schema/index.ts';
import { commandsOf, enginesWith, planningEngines, type SeriesChoice } from '../engines/index.ts';
import type { ParsedPlanOptions, PlanOptions } from '../options/plan-options.ts';
import { type MeasuredCommand, plannings, type WorkloadPlanning } from '../workloads/index.ts';

/** True if the workload has figures about operations in which a rank starts late. */
const takesSkew = ({ row }: WorkloadPlanning): boolean =>
  row.figures.some(({ name }) => name === skewSetting);

/**
 * Checks --skew and --skew-rank.
 * @throws Refusal if the engine cannot delay ranks, the workload has no figures about late ranks, the rank does not exist or is the
 * only one, or --skew-rank was typed without a delay
 */
export function requireSkews(
  command: MeasuredCommand,
  { engine, skew, skewRank, ranks }: PlanOptions,
  parsed: ParsedPlanOptions,
): void {
  const [where, rankWhere] = [parsed.where('skew'), parsed.where('skewRank')];
  if (skew.every((ns) => ns === 0)) {
    if (parsed.typed('skewRank') !== undefined) throw refuse('skew-rank-alone', { where: rankWhere });
    return;
  }
  const { name, workload } = command;
  if (!takesSkew(workload)) {
    const commands = plannings.filter(takesSkew).flatMap((one) => one.commands.map((own) => own.name));
    throw refuse('workload-lacks-skew', { where, command: name, commands });
  }
  if (!planningEngines[engine].delaysRanks) {
    const engines = enginesWith((one) => one.delaysRanks && commandsOf(one).includes(name));
    throw refuse('engine-lacks-skew', { where, engine, engines });
  }
  if (ranks !== null) requireSkewedRank({ skew, skewRank }, ranks);
}

/**
 * Checks that a rank can be delayed relative to others.
 * @param ranks number of ranks; with groups of the smallest group
 * @throws Refusal if the rank of --skew-rank does not exist, or if there is only one rank
 */
export function requireSkewedRank(
  { skew, skewRank }: Pick<PlanOptions, 'skew' | 'skewRank'>,
  ranks: number,
): void {
  if (skew.every((ns) => ns === 0)) return;
  if (ranks < 2) throw refuse('skew-of-one-rank');
  if (typeof skewRank === 'number' && skewRank >= ranks)
    throw refuse('no-such-skew-rank', { rank: skewRank, ranks });
}

/** Returns the series once for each delay of --skew, in the given order. For a delay of 0 the series is unchanged. */
export const skewed =
  ({ skew, skewRank }: Pick<PlanOptions, 'skew' | 'skewRank'>) =>
  (choice: SeriesChoice): SeriesChoice[] =>
    skew.map((ns) => {
      if (ns === 0) return choice;
      const text = skewText({ ns, ranks: skewRank });
      const fixed: FixedChoice = { ...choice.fixed, skew: text };
      return { ...choice, fixed, settings: { ...choice.settings, [skewSetting]: text } };
    });
