// Handles groups of ranks that work at the same time: each is measured and reported like a run of its own ranks.
import { addTo } from '../../collections.ts';
import {
  type BlockRecord,
  type CellRecord,
  dataOf,
  flagLevelOf,
  type GroupPlan,
  idOf,
  type RunPlan,
} from '../../schema/index.ts';
import { deriveCell } from './cell.ts';

/** A group of ranks gets a flag if less than this share of its measuring time is common to all groups. */
const apartBelow = 0.5;

/**
 * Returns the part of the plan that one group of ranks carries out: the ranks of the group, numbered from 0, and only the hosts on
 * which some of them run.
 * @param group ranks of the run, in the order of their numbers within the group
 */
export function planOfGroup(plan: RunPlan, group: Pick<GroupPlan, 'ranks'>): RunPlan {
  const { groups: _, ...rest } = plan;
  const within = new Map(group.ranks.map((rank, index) => [rank, index]));
  const hosts = plan.hosts
    .map((host) => ({
      ...host,
      ranks: host.ranks.flatMap((rank) => within.get(rank) ?? []).sort((a, b) => a - b),
    }))
    .filter(({ ranks }) => ranks.length > 0);
  return { ...rest, ranks: group.ranks.length, hosts };
}

/**
 * Computes the results of one point over one transport: a single result, or one for each group of ranks. A group's result also has
 * its overlap, with the flag `groups-apart` if the overlap is below one half.
 * @param blocks samples of this point and transport, of all groups
 * @param flags names of flags that the results have for reasons outside their samples, as for deriveCell()
 */
export function deriveCells(
  plan: RunPlan,
  point: number,
  transport: number,
  blocks: readonly BlockRecord[],
  flags: readonly string[] = [],
): CellRecord[] {
  const { groups } = plan;
  if (groups === undefined) return [deriveCell(plan, point, transport, blocks, flags)];
  return groups.members.map((member, index) => {
    const own = blocks.filter((block) => block.group?.index === index);
    const beside = blocks.filter((block) => block.group?.index !== index);
    const cell = deriveCell(planOfGroup(plan, member), point, transport, own, flags, beside);
    const group = { rule: groups.rule, index, name: member.name, ranks: member.ranks };
    const named = { ...cell, group, id: idOf(dataOf(cell.workload, plan.workloads), { ...cell, group }) };
    if (named.status !== 'ok') return named;
    const overlap = overlapOf(index, groups.members.length, blocks);
    const isApart = overlap < apartBelow && groups.members.length > 1;
    const apart = { name: 'groups-apart', level: flagLevelOf('groups-apart'), reason: null };
    return { ...named, overlap, flags: [...named.flags, ...(isApart ? [apart] : [])] };
  });
}

interface TimeWindow {
  fromNs: number;
  toNs: number;
}

/**
 * Returns the time from the first start to the last end of the block's samples, ns on the common clock of all groups; null without
 * samples.
 */
function windowOf(block: BlockRecord): TimeWindow | null {
  const starts = [...block.commonStartNs, ...block.startNs.flat()];
  const ends = block.endNs.flat();
  if (starts.length === 0 || ends.length === 0) return null;
  const at = block.baseNs + (block.group?.toCommonNs ?? 0);
  return {
    fromNs: at + starts.reduce((a, b) => Math.min(a, b)),
    toNs: at + ends.reduce((a, b) => Math.max(a, b)),
  };
}

/**
 * Returns the share of the measuring time of group `index` in which all other groups of ranks were measuring, too. In each round
 * the common time is reduced by the error of the clocks. Pauses between the samples of a block count as measuring, since short
 * operations need not coincide one by one.
 * @param index index of the group
 * @param groups number of groups; rounds in which a group is missing count as not shared
 * @param blocks blocks of one point and transport, of all groups
 * @returns 0 to 1; 1 for a group without others, 0 without samples
 */
export function overlapOf(index: number, groups: number, blocks: readonly BlockRecord[]): number {
  const rounds = new Map<string, BlockRecord[]>();
  for (const block of blocks) {
    if (block.trial === 'attest' || block.group === undefined) continue;
    const key = `${block.attempt ?? 0} ${block.group.round}`;
    addTo(rounds, key, block);
  }
  let ownNs = 0;
  let sharedNs = 0;
  for (const round of rounds.values()) {
    const own = round.find((block) => block.group?.index === index);
    const window = own === undefined ? null : windowOf(own);
    if (window === null) continue;
    ownNs += window.toNs - window.fromNs;
    const windows = round.flatMap((block) => windowOf(block) ?? []);
    if (windows.length < groups) continue;
    const offNs = groups < 2 ? 0 : Math.max(...round.map(({ group }) => group?.uncertaintyNs ?? 0));
    const fromNs = Math.max(...windows.map((one) => one.fromNs));
    const toNs = Math.min(...windows.map((one) => one.toNs));
    sharedNs += Math.max(0, toNs - fromNs - offNs);
  }
  return ownNs === 0 ? 0 : sharedNs / ownNs;
}
