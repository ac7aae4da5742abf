import { dtypeNames, opNames, p2pOperations, transports } from '../../../results/schema/index.ts';
import { keysOf, type PlanningEngine } from '../engine.ts';
import { cpuFlags } from './flags.ts';
import { cpuPace } from './pace.ts';

/** The embedded engine: host memory, transports of collbench's own. */
export const cpu: PlanningEngine = {
  name: 'cpu',
  over: '',
  offers: {
    collective: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce'],
    p2p: p2pOperations,
  },
  /** The 8-bit floats are for GPUs only. Twin: kHostDataTypeCount in native/core/dtype.h. */
  dtypes: dtypeNames.filter((name) => !name.startsWith('float8')),
  /** Twin: kHostReduceOpCount in native/core/dtype.h. */
  ops: opNames.filter((name) => name !== 'premulsum'),
  transports: transports.filter(({ isOwn }) => isOwn).map(({ name }) => name),
  options: keysOf(cpuFlags),
  instead: {},
  usual: { ranks: 2, here: ['socket'], pick: () => 'socket', betweenHosts: 'socket' },
  patience: { probeMs: 0, launchMs: 0 },
  pace: cpuPace,
  devices: null,
  ringAlgorithm: 'ring',
  settings: () => ({}),
  series: () => ({ choices: [{ suffix: '', settings: undefined }], leftOut: [] }),
  attests: () => false,
  /** A plugin hears of its interface as it would from NCCL; the nccl engine tells its own. */
  variables: (transport, { interface: device }) =>
    transport === 'plugin' && typeof device === 'string'
      ? { NCCL_SOCKET_IFNAME: `=${device.split('/', 1)[0]}` }
      : {},
  optionsOf: () => [],
};
