import { refuse } from '../../../results/refusals/refusal.ts';
import type { RunPlan } from '../../../results/schema/index.ts';
import type { MemoryShortage } from '../../planning/memory.ts';
import { largestMax, rankBytes } from '../../sets.ts';
import { releasedRankBytes } from './pace.ts';

/** Estimated GPU memory of one rank besides its buffers, in bytes: CUDA context, channels and kernels of NCCL. */
const perRankBytes = 2 ** 30;
/**
 * Bytes of the two regions of 256 MiB each that a rank holds in each launch, except with --cache hot. Consecutive operations use
 * different parts of these regions, so that the data are not in caches.
 */
const rotationBytes = 2 ** 29;

/** The GPUs of all hosts that a run uses, and the number of all ranks on them. */
export interface GpuMemory {
  /** All GPUs that the run uses, with the memory of each in bytes; 0 = unknown. */
  gpus: readonly { name: string; memoryBytes: number }[];
  ranks: number;
}

/**
 * Returns (does not throw) a refusal if the run needs more memory than its smallest GPU has, with the highest --max that fits; null
 * if it fits, or if no GPU's memory is known. All launches run until the end of the run and keep their small buffers; only one
 * launch at a time holds large buffers.
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
