import { cpuPace } from '../cpu/pace.ts';
import type { Pace } from '../engine.ts';
import { gpuOperationNs } from '../nccl/pace.ts';

/** Steps of training: on GPUs, where the collectives are those of NCCL, or on CPUs. */
export const torchPace: Pace = {
  ...cpuPace,
  /** Frameworks are imported, models built and warmed up. */
  launchSetupNs: 6_000_000_000,
  affordsLaunches: false,
  operationNs: (plan, point, transport) =>
    (plan.settings.backend === 'nccl' ? gpuOperationNs : cpuPace.operationNs)(plan, point, transport),
  defaultBatch: () => 5,
  /** A job fills the caches of its framework: idle launches hold none. */
  releasedBytes: () => 0,
};
