import { type OptionRowsFor, ValueError } from '../../options/flag.ts';
import { listOf, parseOneOf, splitWords, switchValue, text, wholeNumber } from '../../options/values.ts';
import { cpuAlgorithmOptions } from '../cpu/algorithms.ts';
import { cpuProtocolOptions } from '../cpu/protocols.ts';
import { cudaAlgorithmOptions } from '../cuda/series.ts';
import { nvshmemAlgorithmOptions } from '../nvshmem/series.ts';
import type { NcclOptions } from './options.ts';
import { type NcclProtocolName, ncclAlgorithmNames, ncclProtocolNames } from './series.ts';

const group = 'NCCL engine';

/** Algorithm names of all engines that have --algo; each engine rejects names that it does not have. */
const anyAlgorithm = [
  ...new Set<string>([
    ...ncclAlgorithmNames,
    ...nvshmemAlgorithmOptions,
    ...cudaAlgorithmOptions,
    ...cpuAlgorithmOptions,
  ]),
];

export const ncclFlags: OptionRowsFor<NcclOptions> = {
  nccl: {
    name: 'nccl',
    group,
    value: 'PATH',
    fallback: null,
    shown: 'searched: NCCL_HOME, LD_LIBRARY_PATH, Python packages, the system',
    allowed: 'a libnccl.so.2 of 2.13 or newer, or a folder that has it',
    help: 'NCCL library to measure, recorded with its hash; --explain prints why it was chosen.',
    example: '--engine nccl --nccl /opt/nccl/lib/libnccl.so.2',
    parse: text,
  },
  gpus: {
    name: 'gpus',
    group,
    value: 'LIST',
    fallback: null,
    shown: 'all of this machine, in order',
    allowed: 'a comma list of GPU numbers counted from 0',
    help: 'GPUs, one for each rank.',
    example: '--engine nccl --gpus 0,2,3',
    parse: (value) => {
      const gpus = splitWords(value).map(wholeNumber(0, 1023));
      if (gpus.length === 0) throw new ValueError('empty');
      return gpus;
    },
  },
  shareGpu: {
    name: 'share-gpu',
    group,
    fallback: false,
    shown: 'off',
    allowed: 'true or false',
    help: 'Let ranks share a GPU, each as a separate host: for tests over socket, sisci or a plugin.',
    example: '--engine nccl --share-gpu --ranks 4 --transport socket',
    parse: switchValue,
  },
  algo: {
    name: 'algo',
    alias: 'algorithm',
    group: 'Where it runs',
    value: 'LIST',
    fallback: ['auto'],
    shown: 'auto',
    allowed: `all, or of engine cpu: ${cpuAlgorithmOptions.join(', ')}; nccl: ${ncclAlgorithmNames.join(', ')}; nvshmem: ${nvshmemAlgorithmOptions.join(', ')}; cuda: ${cudaAlgorithmOptions.join(', ')}`,
    help: 'Algorithms, each a separate series. auto: the engine chooses by size. The results name the algorithm that ran.',
    example: '--algo auto,ring,recursive-doubling',
    parse: listOf(anyAlgorithm),
    words: [...anyAlgorithm, 'all'],
  },
  proto: {
    name: 'proto',
    group: 'Where it runs',
    value: 'LIST',
    fallback: ['auto'],
    shown: 'auto',
    allowed: `all, or of engine cpu: ${cpuProtocolOptions.join(', ')} (ll over shm and sisci alone); nccl: ${ncclProtocolNames.join(', ')}`,
    help: 'Protocols, each with each of --algo. auto: the engine chooses by size. ll: flags in the data, for small messages.',
    example: '--transport shm --proto simple,ll',
    parse: listOf(
      ncclProtocolNames,
      Object.fromEntries(
        ncclProtocolNames.map((word): [string, NcclProtocolName] => [word.toLowerCase(), word]),
      ),
    ),
    words: [...ncclProtocolNames, 'all'],
  },
  cache: {
    name: 'cache',
    group,
    value: 'KIND',
    fallback: 'cold',
    shown: 'cold',
    allowed: 'cold or hot',
    help: 'cold: calls rotate through 256 MiB. hot: all calls use the same buffers.',
    example: '--engine nccl --cache hot',
    parse: parseOneOf(['cold', 'hot']),
    words: ['cold', 'hot'],
  },
  graph: {
    name: 'graph',
    short: 'G',
    alias: 'cudagraph',
    group,
    fallback: false,
    shown: 'off',
    allowed: 'true or false; -G N as in nccl-tests switches it on, -G 0 off',
    help: 'Operations of a sample are captured once and replayed as a CUDA graph. Only for collectives.',
    example: '--engine nccl --graph',
    parse: switchValue,
  },
  aggregate: {
    name: 'aggregate',
    group,
    value: 'N',
    fallback: 1,
    shown: '1',
    allowed: 'a whole number from 1 to 1024',
    help: 'Calls in one ncclGroup (nccl-tests: -m). Results are still per operation. Only for collectives.',
    example: '--engine nccl --aggregate 4',
    parse: wholeNumber(1, 1024),
  },
  register: {
    name: 'register',
    short: 'R',
    alias: 'local_register',
    group,
    value: 'KIND',
    fallback: 'none',
    shown: 'none',
    allowed: 'none, local or symmetric (0, 1 or 2 as in nccl-tests)',
    help: 'Registration of the buffers with NCCL: none, ncclCommRegister, or a symmetric window.',
    example: '--engine nccl --register symmetric',
    parse: (value) => {
      const kinds = {
        none: 'none',
        local: 'local',
        symmetric: 'symmetric',
        0: 'none',
        1: 'local',
        2: 'symmetric',
      };
      const kind = (kinds as Record<string, 'none' | 'local' | 'symmetric'>)[value.trim().toLowerCase()];
      if (kind === undefined) throw new ValueError('no such value');
      return kind;
    },
    words: ['none', 'local', 'symmetric'],
  },
  deviceApi: {
    name: 'device-api',
    group,
    value: 'KIND',
    fallback: 'none',
    shown: 'none: the calls of NCCL',
    allowed: 'none, lsa (load and store over NVLink or PCIe), gin (put over the network, device-initiated)',
    help: "collbench's own allreduce and alltoall on NCCL's device API, compiled with the node's nvcc; buffers are symmetric then.",
    example: '--engine nccl --device-api lsa',
    parse: parseOneOf(['none', 'lsa', 'gin']),
    words: ['none', 'lsa', 'gin'],
  },
  blocking: {
    name: 'blocking',
    group,
    fallback: true,
    shown: 'on',
    allowed: 'true or false; --no-blocking switches it off',
    help: 'Blocking communicator. Off: non-blocking and polled.',
    example: '--engine nccl --no-blocking',
    parse: switchValue,
  },
  split: {
    name: 'split',
    group,
    value: 'N',
    fallback: 0,
    shown: '0 (not split)',
    allowed: '0 (not split) or 1 (split from another, all ranks together)',
    help: 'The communicator comes from ncclCommSplit.',
    example: '--engine nccl --split 1',
    parse: (value) => {
      const groups = wholeNumber(0)(value);
      if (groups > 1) throw new ValueError('groups of some ranks are not measured');
      return groups;
    },
    words: ['0', '1'],
  },
  misalign: {
    name: 'misalign',
    short: 'u',
    alias: 'unalign',
    group,
    value: 'N',
    fallback: 0,
    shown: '0',
    allowed: 'a whole number of elements from 0 to 4096',
    help: 'Offset of buffers from their alignment, in elements.',
    example: '--engine nccl --misalign 1',
    parse: wholeNumber(0, 4096),
  },
  attest: {
    name: 'attest',
    group,
    fallback: true,
    shown: 'on',
    allowed: 'true or false; --no-attest switches it off',
    help: 'One more launch per series, not timed, in which NCCL logs algorithm and protocol of every size.',
    example: '--engine nccl --no-attest',
    parse: switchValue,
  },
  hostCheck: {
    name: 'host-check',
    group,
    fallback: false,
    shown: 'off: on the GPU, if NVRTC is available',
    allowed: 'true or false',
    help: 'Fill and compare data on the host.',
    example: '--engine nccl --host-check',
    parse: switchValue,
  },
};
