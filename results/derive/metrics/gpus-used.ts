import { engineRow, type RunPlan } from '../../schema/index.ts';

/**
 * Indices of the GPUs that ranks of a run use, among the visible ones of the host. The state of other GPUs does not affect a
 * figure. Null if the used ones are unknown.
 */
export function gpusOf(plan: RunPlan, host: string): number[] | null {
  const isOnGpus = engineRow(plan).rankNoun === 'GPU' || plan.settings.backend === 'nccl';
  if (!isOnGpus) return [];
  const { ranks = [], places = [] } = plan.hosts.find(({ name }) => name === host) ?? {};
  const placed = places.flatMap(({ gpu }) => gpu ?? []);
  if (placed.length > 0) return placed;
  const named = plan.settings.gpus?.split(',').map(Number);
  if (named?.some(Number.isNaN) === true) return null;
  return (named ?? [...ranks.keys()]).slice(0, ranks.length);
}
