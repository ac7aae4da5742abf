import type { PointPlan, RunPlan } from '../../../results/schema/index.ts';
import { workloadPlanning } from '../../workloads/index.ts';
import type { EnginePace } from '../engine.ts';

/**
 * Size of all buffers of one rank, in bytes, at and above which they are freed between launches. Smaller buffers stay allocated.
 * A buffer of up to 256 MiB takes no additional memory, because each launch keeps a send and a receive region of this size anyway.
 */
export const releasedRankBytes = 2 ** 30;
/** Number of operations per pipelined sample; the default of nccl-tests. `defaultBatch` uses fewer for operations above 20 ms. */
const usualBatch = 20;
/** Duration in ns below which operations share pairs of time stamps on the GPU: `sharingOperations` operations per pair. */
const sharedMarksNs = 300_000;
const sharingOperations = 25;

/**
 * Rough latency in ns and bandwidth in bytes per ns of each transport, for large messages between 2 GPUs of one host. Transports
 * without entry have `otherSpeed`.
 */
const speeds: Record<string, readonly [startNs: number, bytesPerNs: number]> = {
  p2p: [6_000, 300],
  shm: [10_000, 15],
  socket: [20_000, 3.5],
  sisci: [12_000, 10],
  ib: [10_000, 40],
  ibgda: [10_000, 40],
};
const otherSpeed = [12_000, 10] as const;

/**
 * Estimated nanoseconds of one operation if each rank drives a GPU: latency of the transport, plus bytes over the busiest link,
 * plus the workload's own time, such as computations.
 */
export function gpuOperationNs(plan: RunPlan, point: PointPlan, transport: string): number {
  const [startNs, bytesPerNs] = speeds[transport] ?? otherSpeed;
  const { linkBytes, fixedNs } = workloadPlanning(point);
  const place = { axes: point.axes, ranks: plan.ranks };
  return fixedNs(place, true) + startNs + linkBytes(place) / bytesPerNs;
}

export const ncclPace: EnginePace = {
  launchSetupNs: 4_000_000_000,
  affordsLaunches: false,
  verifyGBps: 100,
  operationNs: gpuOperationNs,
  defaultBatch(longNs) {
    if (longNs > 100_000_000) return 2;
    return longNs > 20_000_000 ? 5 : usualBatch;
  },
  sharingMarks: (shortNs) => (shortNs < sharedMarksNs ? sharingOperations : null),
  releasedBytes: (ranks) => ranks * releasedRankBytes,
};
