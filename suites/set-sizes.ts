import type { RunPlan } from '../results/schema/index.ts';

/** Number of ranks in each set of ranks that measures separately: the groups of the plan, or all ranks as one set. */
export const setSizes = ({ ranks, groups }: Pick<RunPlan, 'ranks' | 'groups'>): number[] =>
  groups?.members.map((group) => group.ranks.length) ?? [ranks];
