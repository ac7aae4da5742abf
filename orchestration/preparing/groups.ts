// --groups: which ranks work together, and what cannot be divided so.
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type CollectiveName,
  collectiveNames,
  type GroupsPlan,
  type RunPlan,
} from '../../results/schema/index.ts';
import { collectives } from '../../suites/collectives.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { ranges } from '../endings.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { groupsOf } from '../hosts/groups.ts';
import { asRefusal } from './as-refusal.ts';

/**
 * The groups that were asked for on these hosts; undefined where none were.
 * @throws Refusal a rank alone, colors that are not as many as ranks, a root that some group has not, groups of unlike size
 *         of a collective that divides its data by ranks
 */
export function groupsPlanOf(
  collective: CollectiveName,
  { groups, root: roots }: Pick<MeasureOptions, 'groups' | 'root'>,
  hosts: RunPlan['hosts'],
): GroupsPlan | undefined {
  if (groups === null) return undefined;
  const plan = asRefusal(() => groupsOf(groups, hosts));
  const { rule } = plan;
  const sizes = [...new Set(plan.members.map(({ ranks }) => ranks.length))].sort((a, b) => a - b);
  const [fewest = 0, more] = sizes;
  const { parts, rooted, refuses } = collectives[collective];
  for (const ranks of sizes) {
    const why = refuses?.(ranks) ?? null;
    if (why !== null) throw refuse('group-refused', { collective, why, rule, ranks });
  }
  if (more !== undefined && parts(fewest) !== parts(more)) {
    throw refuse('groups-unlike', { collective, rule, sizes, undivided: undivided(fewest, more) });
  }
  const root = roots === 'all' ? undefined : roots.find((one) => one >= fewest);
  if (rooted && root !== undefined) throw refuse('root-of-groups', { collective, root, rule, fewest });
  return plan;
}

/** Collectives of all engines that move the same whatever the number of ranks. */
const undivided = (a: number, b: number): CollectiveName[] =>
  collectiveNames.filter(
    (name) =>
      collectives[name].parts(a) === collectives[name].parts(b) &&
      Object.values(planningEngines).every((engine) => engine.collectives.includes(name)),
  );

/** One line per group, for people: "group rail 0: ranks 0, 4". */
export const groupLines = ({ rule, members }: GroupsPlan): string[] => [
  `${members.length} groups (${rule}) work at the same time`,
  ...members.map(({ name, ranks }) => `  ${name}: ranks ${ranges(ranks)}`),
];
