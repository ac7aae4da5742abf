import { type RunPlan, usesGpus } from '../../schema/index.ts';

/**
 * Returns the indices, among the host's visible GPUs, of those that ranks of the run use. Other GPUs do not affect a figure. Null
 * if the used ones are not known; empty if the run uses no GPUs.
 */
export function gpusOf(plan: RunPlan, host: string): number[] | null {
  if (!usesGpus(plan)) return [];
  const { ranks = [], placements = [] } = plan.hosts.find(({ name }) => name === host) ?? {};
  const placed = placements.flatMap(({ gpu }) => gpu ?? []);
  if (placed.length > 0) return placed;
  const named = plan.settings.gpus?.split(',').map(Number);
  if (named?.some(Number.isNaN) === true) return null;
  return (named ?? [...ranks.keys()]).slice(0, ranks.length);
}
