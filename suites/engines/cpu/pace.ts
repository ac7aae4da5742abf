import type { PointPlan, RunPlan } from '../../../results/schema/index.ts';
import { workloadPlanning } from '../../workloads/index.ts';
import type { EnginePace } from '../engine.ts';

const releasedBytes = 64 * 2 ** 20;

/**
 * Estimated nanoseconds of one operation: a latency for every rank after the first, plus bytes on the wire over bandwidth, plus the
 * workload's own time, such as computations. All transports except sisci have equal constants; the number of cores is not
 * considered. The constants were measured on small machines, where an operation of 1 GiB on 2 ranks took 1 to 1.5 s over socket,
 * and 0.5 s over sisci in shared memory.
 * @param transport name of the transport as agents receive it, such as "socket"
 */
function operationNs(plan: RunPlan, point: PointPlan, transport: string): number {
  const isShared = transport === 'sisci';
  const hops = Math.max(1, plan.ranks - 1);
  const { wireBytes, fixedNs } = workloadPlanning(point);
  const place = { axes: point.axes, ranks: plan.ranks };
  return fixedNs(place) + hops * (isShared ? 2_000 : 10_000) + wireBytes(place) / (isShared ? 4 : 1.8);
}

export const cpuPace: EnginePace = {
  launchSetupNs: 150_000_000,
  affordsLaunches: true,
  verifyGBps: 4,
  operationNs,
  defaultBatch: () => 0,
  sharingMarks: () => null,
  releasedBytes: () => releasedBytes,
};
