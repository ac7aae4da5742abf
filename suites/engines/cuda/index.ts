import { controlPaths, scopes } from '../../../results/schema/index.ts';
import type { PlanningEngine } from '../engine.ts';
import { requireSeries } from '../named-series.ts';
import { ncclPace } from '../nccl/pace.ts';
import { commonOf, expandSweep } from '../nvshmem/points.ts';
import { gpuDevices, optionsIn, settingsOf } from '../settings.ts';
import { cudaCauses } from './causes.ts';
import { seriesOf } from './series.ts';

/**
 * The engine with collbench's own GPU kernels. The kernels store into the memory of other GPUs, or write work requests for a
 * network adapter and ring its doorbell.
 */
export const cuda: PlanningEngine = {
  name: 'cuda',
  titlePrefix: 'GPU kernels over ',
  abilities: {
    collectives: {
      members: ['all ranks'],
      collective: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'alltoall'],
      dtype: [
        'int8',
        'uint8',
        'int32',
        'uint32',
        'int64',
        'uint64',
        'float16',
        'bfloat16',
        'float32',
        'float64',
      ],
      op: ['sum', 'prod', 'min', 'max'],
    },
    computations: {},
    stores: { path: ['kernel', 'host'] },
    puts: { path: controlPaths, scope: scopes },
  },
  transports: ['p2p', 'ibgda'],
  options: ['gpus', 'shareGpu', 'hostCheck', 'algo', 'blocks', 'threads', 'packet'],
  usual: { ranks: null, here: ['p2p', 'ibgda'], pick: () => 'p2p', betweenHosts: 'ibgda' },
  patience: { probeMs: 60_000, launchMs: 60_000 },
  pace: ncclPace,
  devices: gpuDevices,
  ringAlgorithm: null,
  loads: ['compute', 'copy'],
  delaysRanks: false,
  causes: cudaCauses,
  settings: (options) => ({
    ...settingsOf(options, ['gpus', 'shareGpu', 'hostCheck']),
    ...commonOf(options),
  }),
  series({ name }, options) {
    const { series, leftOut } = requireSeries('cuda', name, seriesOf(name, options.algo));
    return { choices: expandSweep(series, options), leftOut };
  },
  attests: () => false,
  variables: () => ({}),
  optionsOf: (settings) => optionsIn('cuda', settings, ['gpus', 'shareGpu']),
};
