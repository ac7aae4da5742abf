// --groups: which ranks work together, and what cannot be divided so.

import { ranges } from '../orchestration/endings.ts';
import { HostsError } from '../orchestration/hosts/error.ts';
import { groupsOf } from '../orchestration/hosts/groups.ts';
import type { CollectiveName, GroupsPlan, RunPlan } from '../results/schema/index.ts';
import { collectives } from '../suites/collectives.ts';
import { CommandError } from './exit.ts';
import type { Said } from './measuring-options.ts';
import type { Options } from './options/index.ts';

/**
 * The groups that were asked for on these hosts; undefined where none were.
 * @throws CommandError a rank alone, colors that are not as many as ranks, a root that some group has not, groups of unlike
 *         size of a collective that divides its data by ranks
 */
export function groupsPlanOf(
  collective: CollectiveName,
  { groups, root }: Options,
  hosts: RunPlan['hosts'],
): GroupsPlan | undefined {
  if (groups === null) return undefined;
  const plan = grouped(() => groupsOf(groups, hosts));
  const sizes = [...new Set(plan.members.map(({ ranks }) => ranks.length))].sort((a, b) => a - b);
  const [fewest = 0, more] = sizes;
  const { parts, rooted, refuses } = collectives[collective];
  const odd = sizes.find((size) => (refuses?.(size) ?? null) !== null);
  if (odd !== undefined) {
    throw new CommandError(
      `${collective} ${refuses?.(odd)} of ranks, and --groups ${plan.rule} gives groups of ${odd}`,
      [`Next: groups of ${2 ** Math.floor(Math.log2(odd))} ranks`],
    );
  }
  if (more !== undefined && parts(fewest) !== parts(more)) {
    throw new CommandError(
      `--groups ${plan.rule} gives groups of ${sizes.join(' and ')} ranks, and ${collective} divides its data by the ranks of a group`,
      [
        '  groups of unlike size would measure unlike sizes',
        `Next: groups of one size, or a collective that does not divide: ${undivided(fewest, more).join(', ')}`,
      ],
    );
  }
  const beyond = root === 'all' ? undefined : root.find((one) => one >= fewest);
  if (rooted && beyond !== undefined) {
    throw new CommandError(`--root ${beyond}: with --groups ${plan.rule} roots count within each group`, [
      `  allowed: 0 to ${fewest - 1}, as there are groups of ${fewest} ranks; or all`,
      `Next: collbench ${collective} --groups ${plan.rule} --root 0`,
    ]);
  }
  return plan;
}

const undivided = (a: number, b: number): string[] =>
  Object.values(collectives)
    .filter(({ parts, engines }) => parts(a) === parts(b) && engines.includes('cpu'))
    .map(({ name }) => name);

function grouped<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HostsError)) throw error;
    throw new CommandError(error.message, error.next === null ? [] : [`Next: ${error.next}`]);
  }
}

/** What does not go with groups. @throws CommandError */
export function requireGroupable({ groups, inProcess, shareGpu }: Options, said: Said): void {
  if (groups === null) return;
  const where = said.get('groups')?.where ?? '--groups';
  if (inProcess) {
    throw new CommandError(
      `${where} and ${said.get('inProcess')?.where ?? '--in-process'} exclude each other`,
      [
        '  ranks that are threads of this process measure in turns, groups at the same time: leave out one of them',
      ],
    );
  }
  if (shareGpu) {
    throw new CommandError(
      `${where} and ${said.get('shareGpu')?.where ?? '--share-gpu'} exclude each other`,
      ['  groups that share GPUs would wait for one another: leave out one of them'],
    );
  }
}

/** One line per group, for people: "group rail 0: ranks 0, 4". */
export const groupLines = ({ rule, members }: GroupsPlan): string[] => [
  `${members.length} groups (${rule}) work at the same time`,
  ...members.map(({ name, ranks }) => `  ${name}: ranks ${ranges(ranks)}`),
];
