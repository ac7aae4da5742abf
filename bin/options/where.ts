import { bindings } from '../../orchestration/hosts/binding.ts';
import { parseGroups } from '../../orchestration/hosts/groups.ts';
import { engineNames } from '../../results/schema/plan.ts';
import { type Flags, ValueError } from './flag.ts';
import { linkModels, reading, switchValue, text, unique, wholeNumber, words } from './values.ts';

export const whereFlags: Pick<
  Flags,
  | 'ranks'
  | 'groups'
  | 'bind'
  | 'engine'
  | 'transport'
  | 'algorithm'
  | 'inProcess'
  | 'interface'
  | 'streams'
  | 'sisciLibrary'
  | 'link'
  | 'fault'
  | 'pathProof'
> = {
  ranks: {
    name: 'ranks',
    group: 'Where it runs',
    value: 'N',
    fallback: null,
    shown: '2; engine nccl: one for each GPU; with --hosts: one for each slot',
    allowed: 'a whole number from 1 to 256',
    help: 'Processes that take part, one per rank.',
    example: '--ranks 4',
    parse: wholeNumber(1, 256),
  },
  groups: {
    name: 'groups',
    group: 'Where it runs',
    value: 'RULE',
    fallback: null,
    shown: 'none: all ranks as one',
    allowed:
      'node, rail, mod:N, div:N, and:MASK, or:MASK, or colors:C,C,... with a color for each rank; two ranks or more in each group',
    help: 'Groups of ranks that each run the collective, all at the same time. node: the ranks of a host. rail: the k-th rank of every host. mod, div, and, or: as NCCL_TESTS_SPLIT of nccl-tests.',
    example: '--ranks 4 --groups mod:2',
    parse: (value) => reading(() => parseGroups(value.trim())),
  },
  bind: {
    name: 'bind',
    group: 'Where it runs',
    value: 'HOW',
    fallback: null,
    shown: 'engine cpu: core, where there are enough; engine nccl: none',
    allowed: bindings.join(', '),
    help: 'Which CPUs ranks run on. core: one for each rank. numa: all of one NUMA node, with its memory, near the GPU of the rank. CPUs of a --map file instead of it.',
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
    shown: 'cpu',
    allowed: engineNames.join(' or '),
    help: 'Whose collectives are measured. cpu: the embedded ones, in host memory. nccl: those of a libnccl, on GPUs.',
    example: '--engine nccl',
    parse: (value) => {
      const engine = engineNames.find((name) => name === value);
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
    allowed:
      'a comma list of socket, sisci, plugin:PATH, with engine nccl also p2p, shm, ib, ibgda (see: collbench transports)',
    help: 'Who moves the bytes. Several are measured in turns, so that drift hits all alike.',
    example: '--transport socket,sisci',
    parse: (value) => {
      const items = words(value);
      if (items.length === 0) throw new ValueError('empty');
      if (items.some((item) => item === 'plugin' || item === 'plugin:')) {
        throw new ValueError('plugin needs a path: plugin:/path/libnccl-net-x.so');
      }
      return unique(items);
    },
    words: ['socket', 'sisci', 'socket,sisci', 'p2p', 'shm', 'ib', 'ibgda', 'plugin:'],
  },
  algorithm: {
    name: 'algorithm',
    group: 'Where it runs',
    value: 'NAME',
    fallback: null,
    shown: 'chosen by size',
    allowed: 'direct or ring',
    help: 'Engine cpu. direct: every rank sends to all that need its data. ring: chunks travel around all ranks.',
    example: '--algorithm ring',
    parse: (value) => {
      if (!['direct', 'ring'].includes(value)) throw new ValueError('no such algorithm');
      return value;
    },
    words: ['direct', 'ring'],
  },
  inProcess: {
    name: 'in-process',
    group: 'Where it runs',
    fallback: false,
    shown: 'off',
    allowed: 'true or false',
    help: 'Ranks are threads of this process: quick to start, no isolation.',
    example: '--in-process',
    parse: switchValue,
  },
  interface: {
    name: 'interface',
    group: 'Where it runs',
    value: 'NAME',
    fallback: null,
    shown: 'lo',
    allowed:
      'a network interface of this machine; with --hosts of every node, where host:iface=NAME says no other',
    help: 'socket: the interface that data connections are bound to (engine nccl: NCCL_SOCKET_IFNAME); ib: that of its device; a plugin is told by NCCL_SOCKET_IFNAME.',
    example: '--interface eth1',
    parse: text,
  },
  streams: {
    name: 'streams',
    group: 'Where it runs',
    value: 'N',
    fallback: 0,
    shown: 'chosen',
    allowed: 'a whole number from 0 (chosen) to 16',
    help: 'socket: TCP connections between two ranks (engine nccl: NCCL_SOCKET_NTHREADS).',
    example: '--streams 2',
    parse: wholeNumber(0, 16),
  },
  sisciLibrary: {
    name: 'sisci-library',
    group: 'Where it runs',
    value: 'PATH',
    fallback: null,
    shown: 'libsisci.so where there is one, else softntb',
    allowed: 'path of a libsisci.so, or softntb',
    help: 'sisci: the library to open. Without a Dolphin card softntb stands in, and every row says EMULATED.',
    example: '--sisci-library /opt/DIS/lib64/libsisci.so',
    parse: text,
    words: ['softntb'],
  },
  link: {
    name: 'link',
    group: 'Where it runs',
    value: 'MODEL',
    fallback: 'none',
    shown: 'none (memory speed)',
    allowed: `${linkModels.join(', ')}, or custom:gbps=7.2,dma-start-us=9,pio-write-us=0.7,pio-read-us=1.8`,
    help: 'sisci on softntb: the link it behaves like.',
    example: '--transport sisci --link pcie-gen3-x8',
    parse: text,
    words: linkModels,
  },
  fault: {
    name: 'fault',
    group: 'Where it runs',
    value: 'LIST',
    fallback: null,
    shown: 'none',
    allowed: 'a comma list of softntb faults (native/softntb/README.md)',
    help: 'sisci on softntb: faults to put in, to see that they are caught.',
    example: '--transport sisci --fault no-iommu',
    parse: text,
    words: ['no-iommu', 'bit-flip', 'link-down'],
  },
  pathProof: {
    name: 'path-proof',
    group: 'Where it runs',
    fallback: true,
    shown: 'on',
    allowed: 'true or false; --no-path-proof switches it off',
    help: 'sisci: prove the DMA path with a pattern on connect. Off only to see that verification catches what it missed.',
    example: '--no-path-proof',
    parse: switchValue,
  },
};
