import { type PointPlan, usesGpus } from '../../../results/schema/index.ts';
import { cpu } from '../cpu/index.ts';
import { cpuPace } from '../cpu/pace.ts';
import { type EngineDevices, type EnginePace, keysOf, type PlanningEngine } from '../engine.ts';
import { gpuOperationNs } from '../nccl/pace.ts';
import { gpuDevices, optionsIn, settingsOf } from '../settings.ts';
import { workerOptionRows } from './options.ts';

const isOnGpus = ({ backend }: { backend?: string | null }): boolean =>
  usesGpus({ engine: 'torch', settings: backend ? { backend } : {} });

/**
 * Devices are GPUs. With backend gloo (the default) ranks compute on CPUs, and withNamed() returns the settings unchanged. With
 * backend nccl it returns settings with the list of GPU numbers.
 */
const devices: EngineDevices = {
  ...gpuDevices,
  withNamed: (words, numbers) => (isOnGpus(words) ? gpuDevices.withNamed(words, numbers) : words),
};

/**
 * Nanoseconds that each launch needs for a point before its steps: to build a model, send its parameters to the other ranks and let
 * the framework choose kernels. Measured on GPUs, and on CPUs with small images.
 */
const buildNs = 2_500_000_000;
/** Nanoseconds that a launch with profiler needs more per point, to write and read the profiler's traces of all profiled steps. */
const profileNs = 4_000_000_000;
const isProfiled = ({ axes }: PointPlan): boolean => axes.observed === 'profiler';

/** Estimated speed of training steps in PyTorch. On GPUs the estimates for collectives are those of NCCL. */
const torchPace: EnginePace = {
  ...cpuPace,
  /** Nanoseconds to start the processes and import the framework. `pointSetupNs` is the time to build and warm up each model. */
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

/** Engine that trains with PyTorch, in one Python process per rank. */
export const torch: PlanningEngine = {
  ...cpu,
  name: 'torch',
  titlePrefix: 'PyTorch over ',
  abilities: { training: { numerics: ['fp32', 'tf32', 'amp-bf16', 'bf16'] } },
  transports: ['socket', 'p2p', 'shm', 'ib', 'sisci', 'plugin'],
  options: [...keysOf(workerOptionRows), 'gpus', 'shareGpu'],
  usual: {
    ranks: null,
    here: ['socket', 'p2p'],
    pick: (gpus, options) =>
      isOnGpus(options) && !options.shareGpu && (options.ranks ?? options.gpus?.length ?? gpus) > 1
        ? 'p2p'
        : 'socket',
    betweenHosts: 'socket',
  },
  /** Minimum timeouts are long, because workers import the framework and build the models. */
  patience: { probeMs: 30_000, launchMs: 120_000 },
  pace: torchPace,
  devices,
  ringAlgorithm: null,
  loads: [],
  delaysRanks: false,
  settings: (options) => settingsOf(options, torch.options),
  variables: () => ({}),
  optionsOf: (settings) => optionsIn('torch', settings, torch.options),
};
