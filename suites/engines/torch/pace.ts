import { type PointPlan, usesGpus } from '../../../results/schema/index.ts';
import { cpuPace } from '../cpu/pace.ts';
import type { EnginePace } from '../engine.ts';
import { gpuOperationNs } from '../nccl/pace.ts';

/**
 * Nanoseconds to build a model, send its parameters to the other ranks and let the framework choose kernels. Measured on GPUs,
 * and on CPUs with small images.
 */
const buildNs = 2_500_000_000;
/** Nanoseconds to write and read the framework's profiler traces of all profiled steps. */
const profileNs = 4_000_000_000;
const isProfiled = ({ axes }: PointPlan): boolean => axes.observed === 'profiler';

/** Estimated speed of training steps in PyTorch. On GPUs the estimates for collectives are those of NCCL. */
export const torchPace: EnginePace = {
  ...cpuPace,
  /** Nanoseconds of a launch's start: importing the framework, building and warming up the models. */
  launchSetupNs: 6_000_000_000,
  affordsLaunches: false,
  startsTogether: true,
  pointSetupNs: (plan, point) =>
    buildNs +
    (isProfiled(point) ? profileNs : 0) +
    (isProfiled(point) ? 18 : 6) * torchPace.operationNs(plan, point, ''),
  operationNs: (plan, point, transport) =>
    (usesGpus(plan) ? gpuOperationNs : cpuPace.operationNs)(plan, point, transport),
  defaultBatch: () => 5,
  /** Returns 0: at any buffer size only one launch may hold buffers, because a job fills its framework's memory caches. */
  releasedBytes: () => 0,
};
