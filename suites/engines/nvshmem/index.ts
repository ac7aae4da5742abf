import path from 'node:path';
import type { PlanOptions } from '../../options/plan-options.ts';
import { keysOf, type PlanningEngine } from '../engine.ts';
import { requireSeries } from '../named-series.ts';
import { ncclPace } from '../nccl/pace.ts';
import { gpuDevices } from '../nccl/settings.ts';
import { nvshmemOptionRows } from './options.ts';
import { commonOf, expandSweep } from './points.ts';
import { seriesOf } from './series.ts';

/**
 * Returns the engine options as agents receive them: texts by name of the setting. Options with the default value are left out, and
 * options with several values: each value makes a series.
 */
function settings(options: PlanOptions): Record<string, string> {
  const { nvshmem, nccl, gpus, cache, graph, tune, hostCheck } = options;
  const words: [string, string | null][] = [
    ['nvshmem', nvshmem === null ? null : path.resolve(nvshmem)],
    ['nccl', nccl === null ? null : path.resolve(nccl)],
    ['gpus', gpus === null ? null : gpus.join(',')],
    ['cache', cache === 'cold' ? null : cache],
    ['graph', graph ? '1' : null],
    ['tune', tune ? null : '0'],
    ['hostCheck', hostCheck ? '1' : null],
  ];
  return {
    ...Object.fromEntries(words.filter((word): word is [string, string] => word[1] !== null)),
    ...commonOf(options),
  };
}

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
  settings,
  series({ name }, options) {
    const { series, leftOut } = requireSeries('nvshmem', name, seriesOf(name, options.algo));
    return { choices: expandSweep(series, options), leftOut };
  },
  attests: () => false,
  variables: () => ({}),
  optionsOf: ({ nvshmem: library, gpus }) => [
    '--engine nvshmem',
    ...(library === undefined ? [] : [`--nvshmem ${library}`]),
    ...(gpus === undefined ? [] : [`--gpus ${gpus}`]),
  ],
};
