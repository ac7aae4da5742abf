import { collectiveOf, type PointPlan, type RunPlan } from '../../../results/schema/index.ts';
import { collectives } from '../../collectives.ts';
import type { Pace } from '../engine.ts';

const releasedBytes = 64 * 2 ** 20;

/**
 * As seen on small machines: socket 1 to 1.5 s, sisci over shared memory 0.5 s for 1 GiB with two ranks. More ranks than
 * cores share them.
 */
function operationNs(plan: RunPlan, point: PointPlan, transport: string): number {
  const isShared = transport === 'sisci';
  const hops = Math.max(1, plan.ranks - 1);
  const wireBytes = point.payloadBytes * collectives[collectiveOf(point)].wire(plan.ranks);
  const copyBytes = plan.ranks === 1 ? point.payloadBytes : 0;
  return hops * (isShared ? 2_000 : 10_000) + wireBytes / (isShared ? 4 : 1.8) + copyBytes / 4;
}

export const cpuPace: Pace = {
  launchSetupNs: 150_000_000,
  affordsLaunches: true,
  verifyGBps: 4,
  operationNs,
  defaultBatch: () => 0,
  sharingMarks: () => null,
  releasedBytes: () => releasedBytes,
};
