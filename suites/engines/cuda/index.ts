import { controlPaths, scopes } from '../../../results/schema/index.ts';
import type { PlanOptions } from '../../options/plan-options.ts';
import type { PlanningEngine } from '../engine.ts';
import { ncclPace } from '../nccl/pace.ts';
import { gpuDevices } from '../nccl/settings.ts';

/** Words of native/engines/cuda/settings.h that differ from their defaults. */
function settings({ gpus, shareGpu, hostCheck }: PlanOptions): Record<string, string> {
  return {
    ...(gpus === null ? {} : { gpus: gpus.join(',') }),
    ...(shareGpu ? { shareGpu: '1' } : {}),
    ...(hostCheck ? { hostCheck: '1' } : {}),
  };
}

/** Kernels of collbench on GPUs, which write and ring the queues of an adapter by themselves. */
export const cuda: PlanningEngine = {
  name: 'cuda',
  over: 'GPU kernels over ',
  abilities: { puts: { path: controlPaths, scope: scopes } },
  transports: ['ibgda'],
  options: ['gpus', 'shareGpu', 'hostCheck'],
  instead: {},
  usual: { ranks: null, here: ['ibgda'], pick: () => 'ibgda', betweenHosts: 'ibgda' },
  patience: { probeMs: 60_000, launchMs: 60_000 },
  pace: ncclPace,
  devices: gpuDevices,
  ringAlgorithm: null,
  settings,
  series: () => ({ choices: [{ suffix: '', settings: undefined }], leftOut: [] }),
  attests: () => false,
  variables: () => ({}),
  optionsOf: ({ gpus, shareGpu }) => [
    '--engine cuda',
    ...(gpus === undefined ? [] : [`--gpus ${gpus}`]),
    ...(shareGpu === undefined ? [] : ['--share-gpu']),
  ],
};
