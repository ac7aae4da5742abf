import { refuse } from '../../../results/refusals/refusal.ts';
import { dtypeNames, opNames } from '../../../results/schema/index.ts';
import { keysOf, type PlanningEngine } from '../engine.ts';
import { rejectionTexts } from '../named-series.ts';
import { gpuDevices, optionsIn, settingsOf } from '../settings.ts';
import { ncclCauses } from './causes.ts';
import { ncclOptionRows } from './options.ts';
import { ncclPace } from './pace.ts';
import { seriesOf } from './series.ts';

export const nccl: PlanningEngine = {
  name: 'nccl',
  titlePrefix: 'NCCL over ',
  abilities: {
    collectives: {
      members: ['all ranks'],
      collective: [
        ...['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce', 'alltoall', 'gather'],
        ...['scatter', 'sendrecv', 'hypercube', 'alltoallv'],
      ],
      matrix: ['uneven'],
      dtype: dtypeNames,
      op: opNames,
    },
    messages: { path: ['stream', 'host'] },
    computations: {},
  },
  transports: ['p2p', 'shm', 'socket', 'ib', 'sisci', 'plugin', 'ibgda'],
  options: keysOf(ncclOptionRows),
  usual: {
    ranks: null,
    here: ['p2p', 'socket'],
    pick: (gpus, options) => ((options.gpus?.length ?? gpus) > 1 && !options.shareGpu ? 'p2p' : 'socket'),
    betweenHosts: 'socket',
  },
  patience: { probeMs: 60_000, launchMs: 120_000 },
  pace: { ...ncclPace, startsTogether: true },
  devices: gpuDevices,
  ringAlgorithm: null,
  loads: ['compute', 'copy'],
  delaysRanks: false,
  causes: ncclCauses,
  settings(options) {
    // The device API works only with symmetric windows, so its use implies symmetric registration.
    const register = options.deviceApi === 'none' ? options.register : 'symmetric';
    return settingsOf({ ...options, register }, [
      ...(['nccl', 'gpus', 'shareGpu', 'cache', 'graph', 'aggregate', 'register', 'deviceApi'] as const),
      ...(['blocking', 'split', 'misalign', 'hostCheck'] as const),
    ]);
  },
  series({ name }, { algo, proto }) {
    const { series, leftOut } = seriesOf(name, algo, proto);
    if (series.length === 0)
      throw refuse('nccl-has-no-series', { collective: name, leftOut: rejectionTexts(leftOut) });
    return { choices: series, leftOut };
  },
  attests: ({ attest }) => attest,
  variables: () => ({}),
  optionsOf: (settings) => optionsIn('nccl', settings, ['nccl', 'gpus', 'shareGpu']),
};
