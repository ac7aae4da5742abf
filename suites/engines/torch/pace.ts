import type { PointPlan } from '../../../results/schema/index.ts';
import { cpuPace } from '../cpu/pace.ts';
import type { EnginePace } from '../engine.ts';
import { gpuOperationNs } from '../nccl/pace.ts';

/** A model is built and sent to the other ranks, and its kernels are chosen; seen on GPUs, and of small images on CPUs. */
const buildNs = 2_500_000_000;
/** Traces of all profiled steps are written and read. */
const profileNs = 4_000_000_000;
const isProfiled = ({ axes }: PointPlan): boolean => axes.observed === 'profiler';

/** Steps of training: on GPUs, where the collectives are those of NCCL, or on CPUs. */
export const torchPace: EnginePace = {
  ...cpuPace,
  /** Frameworks are imported, models built and warmed up. */
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
  /** A job fills the caches of its framework: idle launches hold none. */
  releasedBytes: () => 0,
};
