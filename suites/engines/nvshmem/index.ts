import { keysOf, type PlanningEngine } from '../engine.ts';
import { requireSeries } from '../named-series.ts';
import { ncclPace } from '../nccl/pace.ts';
import { gpuDevices, optionsIn, settingsOf } from '../settings.ts';
import { nvshmemCauses } from './causes.ts';
import { nvshmemOptionRows } from './options.ts';
import { commonOf, expandSweep } from './points.ts';
import { seriesOf } from './series.ts';

/**
 * Engine that uses NVSHMEM on GPUs: NVSHMEM's own collectives, and kernels of collbench that use NVSHMEM's symmetric memory.
 */
export const nvshmem: PlanningEngine = {
  name: 'nvshmem',
  titlePrefix: 'NVSHMEM over ',
  abilities: {
    collectives: {
      members: ['all ranks'],
      collective: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'alltoall'],
      dtype: ['float32', 'float16', 'bfloat16', 'float64', 'int32', 'int64'],
      op: ['sum', 'prod', 'min', 'max'],
    },
    messages: { path: ['stream', 'host'] },
    computations: {},
    oneSided: {},
  },
  transports: ['p2p', 'ibgda'],
  options: [...keysOf(nvshmemOptionRows), 'algo', 'nccl', 'gpus', 'cache', 'graph', 'hostCheck'],
  usual: { ranks: null, here: ['p2p'], pick: () => 'p2p', betweenHosts: 'p2p' },
  patience: { probeMs: 60_000, launchMs: 180_000 },
  pace: ncclPace,
  devices: gpuDevices,
  ringAlgorithm: null,
  loads: [],
  delaysRanks: false,
  causes: nvshmemCauses,
  settings: (options) => ({
    ...settingsOf(options, ['nvshmem', 'nccl', 'gpus', 'cache', 'graph', 'tune', 'hostCheck']),
    ...commonOf(options),
  }),
  series({ name }, options) {
    const { series, leftOut } = requireSeries('nvshmem', name, seriesOf(name, options.algo));
    return { choices: expandSweep(series, options), leftOut };
  },
  attests: () => false,
  variables: () => ({}),
  optionsOf: (settings) => optionsIn('nvshmem', settings, ['nvshmem', 'gpus']),
};
