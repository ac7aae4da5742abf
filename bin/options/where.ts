import { maxRunRanks } from '../../orchestration/hosts/placement.ts';
import { rankOptionRows } from '../../orchestration/preparing/host-options.ts';
import { maxRanksHere } from '../../orchestration/preparing/host-rules.ts';
import { type EngineName, engineNames, transportNames } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { inGroup } from '../../suites/options/option.ts';
import {
  parseEach,
  parseOneOf,
  splitWords,
  unique,
  ValueError,
  wholeNumber,
} from '../../suites/options/values.ts';
import { shownNames } from '../../suites/transports/index.ts';

const { cpu, mpi, nccl } = planningEngines;

export const whereOptionRows = inGroup('Where it runs', {
  ranks: {
    synonyms: ['np', 'nranks', 'nprocs', 'nproc', 'processes', 'procs', 'ntasks', 'world-size'],
    value: 'N',
    default: null,
    defaultDescription: '2; engine nccl: one for each GPU; with --hosts: one for each slot',
    allowed: `a whole number from 1 to ${maxRunRanks}; on this machine alone up to ${maxRanksHere}`,
    describe: 'Number of ranks, one process each.',
    example: '--ranks 4',
    coerce: (text) => {
      if (/^\d+(,\d+)+$/.test(text.trim()))
        throw new ValueError(
          'a run has one number of ranks; measure each with a --label of its own, then: collbench report LABEL LABEL',
        );
      return wholeNumber(1, maxRunRanks)(text);
    },
  },
  ...rankOptionRows,
  engine: {
    synonyms: ['library', 'implementation'],
    value: 'NAME',
    default: 'cpu',
    defaultDescription: 'cpu; train: torch; device-put and its like: nvshmem',
    allowed: `${engineNames.join(' or ')}; a comma list measures one run with each and reports them together`,
    describe:
      'cpu: built-in collectives in host memory. nccl: an NCCL library on GPUs. nvshmem, cuda: GPU kernels that communicate themselves. mpi: the MPI of the system. torch, tensorflow: training.',
    example: '--engine nccl',
    // The first engine is the value; a list of engines gives one command line each (bin/line/engines.ts).
    coerce: (value): EngineName => parseEach(parseOneOf(engineNames))(value)[0] ?? 'cpu',
    choices: engineNames,
  },
  transport: {
    synonyms: ['net', 'network', 'fabric', 'provider'],
    value: 'LIST',
    default: null,
    defaultDescription: 'socket; engine nccl: p2p, with one GPU socket',
    allowed: `a comma list of ${shownNames(cpu.transports).join(', ')}, with engine nccl also ${nccl.transports.filter((name) => !cpu.transports.includes(name)).join(', ')}; with engine mpi ${mpi.transports.join(', ')} (see: collbench transports)`,
    describe: 'Transports to measure. Several are interleaved, so that drift affects all equally.',
    example: '--transport socket,sisci',
    coerce: (value) => {
      const items = splitWords(value);
      if (items.length === 0) throw new ValueError('empty');
      if (items.some((item) => item === 'plugin' || item === 'plugin:')) {
        throw new ValueError('plugin needs a path: plugin:/path/libnccl-net-x.so');
      }
      return unique(items);
    },
    choices: ['socket,sisci', ...transportNames.map((name) => (name === 'plugin' ? 'plugin:' : name))],
  },
});
