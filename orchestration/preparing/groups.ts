// Groups of ranks for --groups, and the rules that they must meet.
import { rangesText } from '../../results/fold.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { GroupsPlan, RunPlan } from '../../results/schema/index.ts';
import { commandsOf, planningEngines } from '../../suites/engines/index.ts';
import { commandNamed, type MeasuredCommand } from '../../suites/workloads/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { groupsOf } from '../hosts/groups.ts';
import { toRefusalIfThrown } from './host-errors.ts';

/**
 * Returns the requested groups of ranks for a run on these hosts; undefined if no groups were requested.
 * @param hosts hosts of the plan with their ranks, all ranks of the run
 * @throws Refusal if a rank is alone in its group, the number of colors is wrong, the collective cannot run with the size of a
 * group, a group is too small to have the root rank, or groups differ in size although the collective divides its data by the
 * number of ranks
 */
export function groupsPlanOf(
  { name: command, workload: planning }: MeasuredCommand,
  { groups, root: roots }: Pick<MeasureOptions, 'groups' | 'root'>,
  hosts: RunPlan['hosts'],
): GroupsPlan | undefined {
  if (groups === null) return undefined;
  const plan = toRefusalIfThrown(() => groupsOf(groups, hosts));
  const { rule } = plan;
  const sizes = [...new Set(plan.members.map(({ ranks }) => ranks.length))].sort((a, b) => a - b);
  const [fewest = 0, more] = sizes;
  for (const ranks of sizes) {
    const why = planning.refuses(command, ranks);
    if (why !== null) throw refuse('group-refused', { collective: command, why, rule, ranks });
  }
  if (more !== undefined && planning.isAlike?.(command, fewest, more) === false) {
    throw refuse('groups-unlike', { collective: command, rule, sizes, undivided: undivided(fewest, more) });
  }
  const root = roots === 'all' ? undefined : roots.find((one) => one >= fewest);
  if (planning.isRooted?.(command) === true && root !== undefined)
    throw refuse('root-of-groups', { root, rule, fewest });
  return plan;
}

/**
 * Returns the commands of the cpu engine whose operation is the same for `a` ranks as for `b` ranks, because its data are not
 * divided by the number of ranks. A refusal suggests them.
 */
const undivided = (a: number, b: number): string[] =>
  commandsOf(planningEngines.cpu).filter(
    (name) => commandNamed(name).workload.isAlike?.(name, a, b) !== false,
  );

/** Returns lines of text about groups: a headline, then one line per group, indented: " rail 0: ranks 0, 4". */
export const groupLines = ({ rule, members }: GroupsPlan): string[] => [
  `${members.length} groups (${rule}) work at the same time`,
  ...members.map(({ name, ranks }) => `  ${name}: ranks ${rangesText(ranks)}`),
];
