import { refuse } from '../../../results/refusals/refusal.ts';
import type { RunPlan } from '../../../results/schema/index.ts';
import { rankBytes } from '../../sets.ts';

/** Where more is taken a machine swaps, and nothing is measured. */
const usableShare = 0.9;

/**
 * The buffers of a host's ranks at the largest point must fit there.
 * @param memoryBytes by host
 * @throws Refusal
 */
export function requireHostMemory(plan: RunPlan, memoryBytes: ReadonlyMap<string, number>): void {
  const perRank = plan.points.map((point) => rankBytes(plan, point)).reduce((a, b) => Math.max(a, b), 0);
  for (const { name: host, ranks } of plan.hosts) {
    const has = memoryBytes.get(host) ?? Number.POSITIVE_INFINITY;
    const needs = perRank * ranks.length;
    if (needs <= has * usableShare) continue;
    throw refuse('host-memory', { needs, ranks: ranks.length, host, has });
  }
}
