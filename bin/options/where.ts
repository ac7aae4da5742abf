import { bindings } from '../../orchestration/hosts/binding.ts';
import { parseGroups } from '../../orchestration/hosts/groups.ts';
import { withValueErrors } from '../../orchestration/preparing/value-errors.ts';
import { type EngineName, engineNames, transportNames } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { ValueError } from '../../suites/options/flag.ts';
import { splitWords, unique, wholeNumber } from '../../suites/options/values.ts';
import { shownNames } from '../../suites/transports/index.ts';
import type { OptionRows } from './flag.ts';

const { cpu, nccl } = planningEngines;

/** Parses a list of engine names. @throws ValueError if a name is no engine */
function enginesIn(value: string): EngineName[] {
  return unique(splitWords(value)).map((word) => {
    const engine = engineNames.find((name) => name === word);
    if (engine === undefined) throw new ValueError('no such engine');
    return engine;
  });
}

export const whereFlags: Pick<OptionRows, 'ranks' | 'groups' | 'bind' | 'engine' | 'transport'> = {
  ranks: {
    name: 'ranks',
    group: 'Where it runs',
    value: 'N',
    fallback: null,
    shown: '2; engine nccl: one for each GPU; with --hosts: one for each slot',
    allowed: 'a whole number from 1 to 256',
    help: 'Number of ranks, one process each.',
    example: '--ranks 4',
    parse: (text) => {
      if (/^\d+(,\d+)+$/.test(text.trim()))
        throw new ValueError(
          'a run has one number of ranks; measure each with a --label of its own, then: collbench report LABEL LABEL',
        );
      return wholeNumber(1, 256)(text);
    },
  },
  groups: {
    name: 'groups',
    group: 'Where it runs',
    value: 'RULE',
    fallback: null,
    shown: 'none: all ranks as one',
    allowed:
      'node, rail, mod:N, div:N, and:MASK, or:MASK, or colors:C,C,... with a color for each rank; two ranks or more in each group',
    help: 'Groups of ranks that run the collective at the same time. node: ranks of one host. rail: the k-th rank of every host. mod, div, and, or: as NCCL_TESTS_SPLIT.',
    example: '--ranks 4 --groups mod:2',
    parse: (value) => withValueErrors(() => parseGroups(value.trim())),
  },
  bind: {
    name: 'bind',
    group: 'Where it runs',
    value: 'HOW',
    fallback: null,
    shown: 'engine cpu: core, if there are enough, other cores for each launch; others: none',
    allowed: bindings.join(', '),
    help: 'CPUs of each rank. core: one each, on cores of their own first. numa: those of the NUMA node near its GPU, with its memory. A --map file can name CPUs instead.',
    example: '--bind numa',
    parse: (value) => {
      const binding = bindings.find((name) => name === value);
      if (binding === undefined) throw new ValueError('neither of them');
      return binding;
    },
    words: bindings,
  },
  engine: {
    name: 'engine',
    group: 'Where it runs',
    value: 'NAME',
    fallback: 'cpu',
    shown: 'cpu; train: torch',
    allowed: `${engineNames.join(' or ')}; a comma list measures one run with each and reports them together`,
    help: 'cpu: built-in collectives in host memory. nccl: an NCCL library on GPUs. nvshmem, cuda: GPU kernels that communicate themselves. mpi: the MPI of the system. torch, tensorflow: training.',
    example: '--engine nccl',
    // The first engine is the value; a list of engines gives one command line each (bin/line/engines.ts).
    parse: (value) => {
      const engines = enginesIn(value);
      const [engine] = engines;
      if (engine === undefined) throw new ValueError('no such engine');
      return engine;
    },
    words: engineNames,
  },
  transport: {
    name: 'transport',
    group: 'Where it runs',
    value: 'LIST',
    fallback: null,
    shown: 'socket; engine nccl: p2p, with one GPU socket',
    allowed: `a comma list of ${shownNames(cpu.transports).join(', ')}, with engine nccl also ${nccl.transports.filter((name) => !cpu.transports.includes(name)).join(', ')} (see: collbench transports)`,
    help: 'Transports to measure. Several are interleaved, so that drift affects all equally.',
    example: '--transport socket,sisci',
    parse: (value) => {
      const items = splitWords(value);
      if (items.length === 0) throw new ValueError('empty');
      if (items.some((item) => item === 'plugin' || item === 'plugin:')) {
        throw new ValueError('plugin needs a path: plugin:/path/libnccl-net-x.so');
      }
      return unique(items);
    },
    words: ['socket,sisci', ...transportNames.map((name) => (name === 'plugin' ? 'plugin:' : name))],
  },
};
