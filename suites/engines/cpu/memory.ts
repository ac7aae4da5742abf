import { refuse } from '../../../results/refusals/refusal.ts';
import { type PointPlan, type RunPlan, setSizes } from '../../../results/schema/index.ts';
import type { MemoryShortage } from '../../planning/memory.ts';
import { largestMax, rankBytes } from '../../sets.ts';
import { maxOneHopRanks, scratchParts } from './algorithms.ts';

/**
 * Share of the host's memory that the buffers of a run may use, 0 to 1. If they use more, the host swaps, and measured times are
 * meaningless.
 */
const usableShare = 0.9;

/**
 * Scratch bytes of one rank besides its send and receive buffers; 0 for workloads other than `collective`. It is the maximum over
 * the groups and the requested algorithms. Collectives that the engine processes piece by piece count as 0.
 */
function scratchBytes(
  { algorithm, settings, transports, ...plan }: RunPlan,
  { workload, axes }: PointPlan,
): number {
  if (workload !== 'collective') return 0;
  const requested = transports.map((one) => one.settings?.algo ?? algorithm ?? settings.algo ?? null);
  return Math.max(
    ...setSizes(plan).flatMap((ranks) => {
      // The engine itself chooses an algorithm with scratch memory only for large payloads, and only if there are too many ranks to
      // connect each to every other.
      const usual = ranks > maxOneHopRanks ? 'bruck' : 'ring';
      return requested.map(
        (word) => (scratchParts(word ?? usual, String(axes.collective), ranks) * Number(axes.bytes)) / ranks,
      );
    }),
  );
}

/**
 * Checks that the buffers and scratch memory of a run need at most `usableShare` of the memory of each host. Returns (does not
 * throw) a refusal about the first host with too little memory, with the highest --max that fits; null if all have enough.
 * @param memoryBytes memory of each host, by its name; a host without entry is not checked
 */
export function hostMemoryShortage(
  plan: RunPlan,
  memoryBytes: ReadonlyMap<string, number>,
): MemoryShortage | null {
  const perRankOf = (points: readonly PointPlan[]): number =>
    points.reduce((most, point) => Math.max(most, rankBytes(plan, point) + scratchBytes(plan, point)), 0);
  const perRank = perRankOf(plan.points);
  for (const { name: host, ranks } of plan.hosts) {
    const has = memoryBytes.get(host) ?? Number.POSITIVE_INFINITY;
    const needs = perRank * ranks.length;
    if (needs <= has * usableShare) continue;
    const max = largestMax(plan, (points) => perRankOf(points) * ranks.length <= has * usableShare);
    return { refusal: refuse('host-memory', { needs, ranks: ranks.length, host, has, max }), max };
  }
  return null;
}
