import {
  collectiveNames,
  controlPaths,
  dtypeNames,
  isFloat8,
  loadNames,
  opNames,
  transports,
  tuningSettings,
} from '../../../results/schema/index.ts';
import { readTuning } from '../../../results/store/tuning.ts';
import { keysOf, type PlanningEngine } from '../engine.ts';
import { requireSeries } from '../named-series.ts';
import { cpuCauses } from './causes.ts';
import { cpuOptionRows } from './options.ts';
import { cpuPace } from './pace.ts';
import { seriesOf } from './series.ts';

/** The cpu engine, which is part of collbench: data in host memory, moved by collbench's own transports. */
export const cpu: PlanningEngine = {
  name: 'cpu',
  titlePrefix: '',
  abilities: {
    collectives: {
      collective: collectiveNames,
      /** Data types that the engine supports: all except 8-bit floats, which only GPU engines have. */
      dtype: dtypeNames.filter((name) => !isFloat8(name)),
      op: opNames.filter((name) => name !== 'premulsum'),
    },
    messages: { path: ['host', 'rank'] },
    computations: {},
    puts: { path: controlPaths, scope: ['thread'] },
    hostClock: {},
  },
  transports: transports.filter(({ isOwn }) => isOwn).map(({ name }) => name),
  options: [...keysOf(cpuOptionRows), 'algo', 'proto'],
  usual: { ranks: 2, here: ['socket'], pick: () => 'socket', betweenHosts: 'socket' },
  patience: { probeMs: 0, launchMs: 0, launchMsPerRank: 200 },
  pace: cpuPace,
  devices: null,
  ringAlgorithm: 'ring',
  loads: loadNames,
  delaysRanks: true,
  causes: cpuCauses,
  settings: ({ tuning }) => (tuning === null || tuning === 'off' ? {} : tuningSettings(readTuning(tuning))),
  series(command, options) {
    const transport = options.transport ?? cpu.usual.here;
    const selection = seriesOf(command, options.algo, options.proto, transport, options.channels);
    const { series, leftOut } = requireSeries('cpu', command.name, selection);
    return { choices: series, leftOut };
  },
  attests: () => false,
  /**
   * Sets NCCL_SOCKET_IFNAME for a net plugin if --interface was given, because plugins read their network interface from it. Other
   * transports get no variables. The nccl engine sets this variable by itself.
   */
  variables: (transport, { interface: device }) =>
    transport === 'plugin' && typeof device === 'string'
      ? { NCCL_SOCKET_IFNAME: `=${device.split('/', 1)[0]}` }
      : {},
  optionsOf: () => [],
};
