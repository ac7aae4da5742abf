import { addTo } from '../../results/collections.ts';
// Groups of ranks that run the same collective at the same time, as with NCCL_TESTS_SPLIT in nccl-tests.

import { foldNumbers } from '../../results/fold.ts';
import type { GroupPlan, GroupsPlan } from '../../results/schema/index.ts';
import { visibleText } from './characters.ts';
import { HostsError } from './error.ts';
import type { HostPlacement } from './placement.ts';

const operations = {
  mod: (rank: number, n: number) => rank % n,
  div: (rank: number, n: number) => Math.floor(rank / n),
  and: (rank: number, n: number) => rank & n,
  or: (rank: number, n: number) => rank | n,
};
type GroupOperation = keyof typeof operations;

/**
 * Rule that divides the ranks into groups. `node`: a group per host. `rail`: a group of the k-th rank of every host, for each
 * k. `colors`: the group number of each rank is listed. `mod`, `div`, `and`, `or`: a group has the ranks with the same result
 * of `rank OPERATION n` (NCCL_TESTS_SPLIT of nccl-tests).
 */
export type GroupRule =
  | { kind: 'node' }
  | { kind: 'rail' }
  | { kind: GroupOperation; n: number }
  | { kind: 'colors'; colors: number[] };

type HostRanks = Pick<HostPlacement, 'name' | 'ranks'>;

const maxColor = 65_535;

/**
 * Parses the value of `--groups`, such as "rail", "mod:2" or "colors:0,0,1,1". Numbers after `mod`, `div`, `and` and `or` may be
 * hexadecimal (0x...); colors, the group number of each rank, are decimal, up to `maxColor`.
 * @throws HostsError if it is no known rule, or a number is invalid
 */
export function parseGroups(text: string): GroupRule {
  if (text === 'node' || text === 'rail') return { kind: text };
  const [, kind = '', value = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  if (isOperation(kind)) {
    const n = /^(\d{1,5}|0x[\da-f]{1,4})$/i.test(value) ? Number(value) : -1;
    const least = kind === 'mod' || kind === 'div' ? 1 : 0;
    if (n < least) throw new HostsError(`${kind}:${visibleText(value)}: not a whole number from ${least} on`);
    return { kind, n };
  }
  if (kind === 'colors') {
    const colors = value.split(',').map((item) => {
      if (/^\d{1,5}$/.test(item) && Number(item) <= maxColor) return Number(item);
      throw new HostsError(`'${visibleText(item)}' is no color, a whole number from 0 to ${maxColor}`);
    });
    return { kind, colors };
  }
  throw new HostsError('unknown rule for groups');
}

const isOperation = (kind: string): kind is GroupOperation => Object.hasOwn(operations, kind);

/**
 * Returns the text of a rule that divides the ranks into groups, such as "mod:2". `parseGroups` makes the same rule from it;
 * hexadecimal numbers become decimal.
 */
export function groupsText(rule: GroupRule): string {
  if (rule.kind === 'colors') return `colors:${rule.colors.join(',')}`;
  return 'n' in rule ? `${rule.kind}:${rule.n}` : rule.kind;
}

/**
 * Returns the number of the group to which a rank belongs; -1 if the rule is a list of colors that is too short.
 * @param node index of the rank's host
 * @param rail index of the rank on its host
 */
function colorOf(rule: GroupRule, rank: number, node: number, rail: number): number {
  switch (rule.kind) {
    case 'node':
      return node;
    case 'rail':
      return rail;
    case 'colors':
      return rule.colors[rank] ?? -1;
    default:
      return operations[rule.kind](rank, rule.n);
  }
}

/**
 * Returns the number of the group of each rank ("color" as in MPI), indexed by rank. Equal numbers are one group; they need not be
 * consecutive.
 * @throws HostsError if the rule lists colors, but not one per rank
 */
export function colorsOf(rule: GroupRule, hosts: readonly HostRanks[]): number[] {
  const colors: number[] = [];
  for (const [node, { ranks }] of hosts.entries()) {
    for (const [rail, rank] of ranks.entries()) {
      colors[rank] = colorOf(rule, rank, node, rail);
    }
  }
  if (rule.kind === 'colors' && rule.colors.length !== colors.length) {
    throw new HostsError(
      `${rule.colors.length} colors for ${colors.length} ranks`,
      null,
      'one color for each rank, as in colors:0,0,1,1',
    );
  }
  return colors;
}

function nameOf(
  rule: GroupRule,
  color: number,
  ranks: readonly number[],
  hosts: readonly HostRanks[],
): string {
  switch (rule.kind) {
    case 'node':
      return hosts[color]?.name ?? '';
    case 'rail':
      return `rail ${color}`;
    case 'div':
      return `ranks ${foldNumbers(ranks)}`;
    case 'colors':
      return `color ${color}`;
    default:
      return `ranks ${rule.kind} ${rule.n} = ${color}`;
  }
}

/**
 * Returns the groups in ascending order of their number (color). Every rank belongs to exactly one group.
 * @param rule rule that divides the ranks
 * @param hosts hosts of the run, with their ranks
 * @throws HostsError if a rank is alone in its group, which would measure nothing, or there is not one color per rank
 */
export function groupsOf(rule: GroupRule, hosts: readonly HostRanks[]): GroupsPlan {
  const byColor = new Map<number, number[]>();
  for (const [rank, color] of colorsOf(rule, hosts).entries()) addTo(byColor, color, rank);
  const members = [...byColor]
    .sort(([a], [b]) => a - b)
    .map(([color, ranks]): GroupPlan => {
      const name = nameOf(rule, color, ranks, hosts);
      if (ranks.length > 1) return { name, ranks };
      throw new HostsError(
        `--groups ${groupsText(rule)} leaves rank ${ranks[0]} alone in its group (${name})`,
        null,
        'groups of two ranks or more',
      );
    });
  return { rule: groupsText(rule), members };
}
