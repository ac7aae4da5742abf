import { refuse } from '../../../results/refusals/refusal.ts';
import type { RunPlan } from '../../../results/schema/index.ts';
import type { MemoryShortage } from '../../planning/memory.ts';
import { largestMax, rankBytes } from '../../sets.ts';
import { releasedRankBytes } from './pace.ts';

/** CUDA context, NCCL's channels and kernels of one rank: about what they take on a GPU. */
const perRankBytes = 2 ** 30;
/** Two buffers of 256 MiB to move on through. */
const rotationBytes = 2 ** 29;

/** What memory is needed on: the GPUs that are used, and how many ranks use them. */
export interface GpuMemory {
  /** Bytes; 0 = not said. */
  gpus: readonly { name: string; memoryBytes: number }[];
  ranks: number;
}

/**
 * The shortage of the GPU with the least memory; null if it has enough. Every launch stays open to the end and keeps its
 * small buffers; large ones are held by one launch at a time.
 */
export function gpuMemoryShortage(plan: RunPlan, { gpus, ranks }: GpuMemory): MemoryShortage | null {
  const has = Math.min(...gpus.map(({ memoryBytes }) => memoryBytes).filter((bytes) => bytes > 0));
  if (!Number.isFinite(has) || plan.points.length === 0) return null;
  const perRank = plan.points.map((point) => rankBytes(plan, point));
  const sharing = Math.ceil(ranks / gpus.length);
  const kept = perRank.filter((bytes) => bytes < releasedRankBytes);
  const rotation = plan.settings.cache === 'hot' ? 0 : rotationBytes;
  const launches = plan.sampling.launches * plan.transports.length;
  const largest = perRank.reduce((a, b) => Math.max(a, b), 0);
  const standing = sharing * launches * (perRankBytes + kept.reduce((a, b) => Math.max(a, b), rotation));
  const gpu = gpus[0]?.name ?? 'GPU';
  if (sharing * (largest + perRankBytes) > has) {
    const max = largestMax(plan, (points) =>
      points.every((point) => sharing * (rankBytes(plan, point) + perRankBytes) <= has),
    );
    return { refusal: refuse('gpu-memory-per-size', { needs: sharing * largest, gpu, has, max }), max };
  }
  const needs = standing + sharing * largest;
  if (needs <= has) return null;
  return { refusal: refuse('gpu-memory-of-launches', { launches, needs, gpu, has }), max: null };
}
