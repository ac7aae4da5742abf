import type { RunPlan } from '../results/schema/index.ts';

/** Ranks of each set that works for itself: all as one, or the groups of the plan. */
export const setSizes = ({ ranks, groups }: Pick<RunPlan, 'ranks' | 'groups'>): number[] =>
  groups?.members.map((group) => group.ranks.length) ?? [ranks];
