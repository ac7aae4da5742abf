import type { PointPlan } from '../../../results/schema/index.ts';
import { cpuPace } from '../cpu/pace.ts';
import type { EnginePace } from '../engine.ts';
import { gpuOperationNs } from '../nccl/pace.ts';

/**
 * Nanoseconds to build a model, send it to the other ranks and choose its kernels. Measured on GPUs, and on CPUs with small
 * images.
 */
const buildNs = 2_500_000_000;
/** Nanoseconds to write and read the traces of all profiled steps. */
const profileNs = 4_000_000_000;
const isProfiled = ({ axes }: PointPlan): boolean => axes.observed === 'profiler';

/** Estimated speed of training steps. On GPUs the collectives are those of NCCL. */
export const torchPace: EnginePace = {
  ...cpuPace,
  /** A launch imports the framework, then builds and warms up the models. */
  launchSetupNs: 6_000_000_000,
  affordsLaunches: false,
  startsTogether: true,
  pointSetupNs: (plan, point) =>
    buildNs +
    (isProfiled(point) ? profileNs : 0) +
    (isProfiled(point) ? 18 : 6) * torchPace.operationNs(plan, point, ''),
  operationNs: (plan, point, transport) =>
    (plan.settings.backend === 'nccl' ? gpuOperationNs : cpuPace.operationNs)(plan, point, transport),
  defaultBatch: () => 5,
  /** 0: only one launch may hold buffers at a time, because a job fills its framework's memory caches. */
  releasedBytes: () => 0,
};
