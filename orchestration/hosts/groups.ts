// Groups of ranks that run the same collective side by side, as NCCL_TESTS_SPLIT does in nccl-tests.
import { visible } from './characters.ts';
import { HostsError } from './error.ts';
import { foldNumbers } from './fold.ts';
import type { PlacedHost } from './placement.ts';

/**
 * How ranks are grouped. `node`: those of a host. `rail`: the k-th rank of every host. `mod` and `div`: rank mod N, rank
 * div N (nccl-tests: `%N`, `/N`). `colors`: as listed, a color for each rank.
 */
export type GroupRule =
  | { kind: 'node' }
  | { kind: 'rail' }
  | { kind: 'mod'; n: number }
  | { kind: 'div'; n: number }
  | { kind: 'colors'; colors: number[] };

/** One group: ranks that share a color. */
export interface Group {
  color: number;
  /** For rows: "gpu01", "rail 0", "ranks mod 4 = 1", "ranks 0-3", "color 7". */
  name: string;
  /** Ascending, at least two. */
  ranks: number[];
}

const mostColor = 65_535;

/**
 * The text behind `--groups`.
 * @throws HostsError
 */
export function parseGroups(text: string): GroupRule {
  if (text === 'node' || text === 'rail') return { kind: text };
  const [, kind, value = ''] = /^(mod|div|colors):(.*)$/s.exec(text) ?? [];
  if (kind === 'mod' || kind === 'div') {
    const n = /^\d{1,5}$/.test(value) ? Number(value) : 0;
    if (n < 1) throw new HostsError(`${kind}:${visible(value)}: not a whole number above 0`);
    return { kind, n };
  }
  if (kind === 'colors') {
    const colors = value.split(',').map((item) => {
      if (/^\d{1,5}$/.test(item) && Number(item) <= mostColor) return Number(item);
      throw new HostsError(`'${visible(item)}' is no color, a whole number from 0 to ${mostColor}`);
    });
    return { kind, colors };
  }
  throw new HostsError('no such way to group ranks');
}

/** The rule as `parseGroups` reads it. */
export function groupsText(rule: GroupRule): string {
  if (rule.kind === 'colors') return `colors:${rule.colors.join(',')}`;
  return rule.kind === 'mod' || rule.kind === 'div' ? `${rule.kind}:${rule.n}` : rule.kind;
}

/** @param rail place of the rank among those of its host */
function colorOf(rule: GroupRule, rank: number, node: number, rail: number): number {
  switch (rule.kind) {
    case 'node':
      return node;
    case 'rail':
      return rail;
    case 'mod':
      return rank % rule.n;
    case 'div':
      return Math.floor(rank / rule.n);
    case 'colors':
      return rule.colors[rank] ?? -1;
  }
}

/** Color of each rank, by rank. @throws HostsError a list of colors that is not as long as there are ranks */
export function colorsOf(rule: GroupRule, hosts: readonly PlacedHost[]): number[] {
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
  hosts: readonly PlacedHost[],
): string {
  switch (rule.kind) {
    case 'node':
      return hosts[color]?.name ?? '';
    case 'rail':
      return `rail ${color}`;
    case 'mod':
      return `ranks mod ${rule.n} = ${color}`;
    case 'div':
      return `ranks ${foldNumbers(ranks)}`;
    case 'colors':
      return `color ${color}`;
  }
}

/**
 * Groups in ascending order of color; every rank is in one.
 * @throws HostsError a rank alone in its group: it would measure nothing
 */
export function groupsOf(rule: GroupRule, hosts: readonly PlacedHost[]): Group[] {
  const byColor = new Map<number, number[]>();
  for (const [rank, color] of colorsOf(rule, hosts).entries()) {
    const ranks = byColor.get(color);
    if (ranks === undefined) byColor.set(color, [rank]);
    else ranks.push(rank);
  }
  return [...byColor]
    .sort(([a], [b]) => a - b)
    .map(([color, ranks]) => {
      const name = nameOf(rule, color, ranks, hosts);
      if (ranks.length > 1) return { color, name, ranks };
      throw new HostsError(
        `--groups ${groupsText(rule)} leaves rank ${ranks[0]} alone in its group (${name}), where it has nobody to talk to`,
        null,
        'groups of two ranks or more',
      );
    });
}
