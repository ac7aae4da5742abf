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

/** Kernels of collbench on GPUs, which store into each other's memory, or write and ring the queues of an adapter. */
export const cuda: PlanningEngine = {
  name: 'cuda',
  over: 'GPU kernels over ',
  abilities: {
    collectives: {
      collective: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'alltoall'],
      dtype: ['float32', 'float64', 'int32', 'int64'],
      op: ['sum', 'prod', 'min', 'max'],
    },
    puts: { path: controlPaths, scope: scopes },
  },
  transports: ['p2p', 'ibgda'],
  options: ['gpus', 'shareGpu', 'hostCheck'],
  instead: {},
  usual: { ranks: null, here: ['p2p', 'ibgda'], pick: () => 'p2p', betweenHosts: 'ibgda' },
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
