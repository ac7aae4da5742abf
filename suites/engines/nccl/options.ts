import { choiceOption, inGroup, switchOption } from '../../options/option.ts';
import { listOf, parseItems, parseOneOf, text, ValueError, wholeNumber } from '../../options/values.ts';
import { cpuAlgorithmOptions } from '../cpu/algorithms.ts';
import { cpuProtocolOptions } from '../cpu/protocols.ts';
import { cudaAlgorithmOptions } from '../cuda/series.ts';
import { nvshmemAlgorithmOptions } from '../nvshmem/series.ts';
import { type NcclProtocolName, ncclAlgorithmNames, ncclProtocolNames } from './series.ts';

/** Algorithm names of all engines that have --algo. Each engine rejects names that belong only to other engines. */
const anyAlgorithm = [
  ...new Set<string>([
    ...ncclAlgorithmNames,
    ...nvshmemAlgorithmOptions,
    ...cudaAlgorithmOptions,
    ...cpuAlgorithmOptions,
  ]),
];

export const ncclOptionRows = inGroup('NCCL engine', {
  nccl: {
    value: 'PATH',
    default: null,
    defaultDescription: 'searched: NCCL_HOME, LD_LIBRARY_PATH, Python packages, the system',
    allowed: 'a libnccl.so.2 of 2.13 or newer, or a folder that has it',
    describe: 'NCCL library to measure, recorded with its hash; --explain prints why it was chosen.',
    example: '--engine nccl --nccl /opt/nccl/lib/libnccl.so.2',
    coerce: text,
  },
  gpus: {
    value: 'LIST',
    default: null,
    defaultDescription: 'all of this machine, in order',
    allowed: 'a comma list of GPU numbers counted from 0',
    describe: 'GPUs, one for each rank.',
    example: '--engine nccl --gpus 0,2,3',
    coerce: parseItems(wholeNumber(0, 1023)),
  },
  shareGpu: {
    ...switchOption,
    describe:
      'Let ranks share a GPU, each as a separate host: for tests over socket, sisci or a plugin. Their times are time slices of the GPU, unless CUDA MPS runs them at the same time.',
    example: '--engine nccl --share-gpu --ranks 4 --transport socket',
  },
  algo: {
    group: 'Where it runs',
    alias: 'algorithm',
    value: 'LIST',
    default: ['auto'],
    allowed: `all, or of engine cpu: ${cpuAlgorithmOptions.join(', ')}; nccl: ${ncclAlgorithmNames.join(', ')}; nvshmem: ${nvshmemAlgorithmOptions.join(', ')}; cuda: ${cudaAlgorithmOptions.join(', ')}`,
    describe:
      'Algorithms, each a separate series. auto: the engine chooses by size. The results name the algorithm that ran.',
    example: '--algo auto,ring,recursive-doubling',
    coerce: listOf(anyAlgorithm),
    choices: [...anyAlgorithm, 'all'],
  },
  proto: {
    group: 'Where it runs',
    value: 'LIST',
    default: ['auto'],
    allowed: `all, or of engine cpu: ${cpuProtocolOptions.join(', ')} (ll over shm and sisci alone); nccl: ${ncclProtocolNames.join(', ')}`,
    describe:
      'Protocols, each with each of --algo. auto: the engine chooses by size. ll: flags in the data, for small messages.',
    example: '--transport shm --proto simple,ll',
    coerce: listOf(
      ncclProtocolNames,
      Object.fromEntries(
        ncclProtocolNames.map((word): [string, NcclProtocolName] => [word.toLowerCase(), word]),
      ),
    ),
    choices: [...ncclProtocolNames, 'all'],
  },
  cache: {
    value: 'KIND',
    default: 'cold',
    ...choiceOption(['cold', 'hot']),
    allowed: 'cold or hot',
    describe: 'cold: calls rotate through 256 MiB. hot: all calls use the same buffers.',
    example: '--engine nccl --cache hot',
  },
  graph: {
    ...switchOption,
    alias: ['G', 'cudagraph'],
    allowed: 'true or false; -G N as in nccl-tests switches it on, -G 0 off',
    describe: 'Operations of a sample are captured once and replayed as a CUDA graph. Only for collectives.',
    example: '--engine nccl --graph',
  },
  aggregate: {
    value: 'N',
    default: 1,
    allowed: 'a whole number from 1 to 1024',
    describe:
      'Calls in one ncclGroup (nccl-tests: -m). Results are still per operation. Only for collectives.',
    example: '--engine nccl --aggregate 4',
    coerce: wholeNumber(1, 1024),
  },
  register: {
    alias: ['R', 'local_register'],
    value: 'KIND',
    default: 'none',
    allowed: 'none, local or symmetric (0, 1 or 2 as in nccl-tests)',
    describe: 'Registration of the buffers with NCCL: none, ncclCommRegister, or a symmetric window.',
    example: '--engine nccl --register symmetric',
    coerce: (value) => {
      const kinds = ['none', 'local', 'symmetric'] as const;
      return kinds[Number(value)] ?? parseOneOf(kinds)(value);
    },
    choices: ['none', 'local', 'symmetric'],
  },
  deviceApi: {
    value: 'KIND',
    default: 'none',
    defaultDescription: 'none: the calls of NCCL',
    ...choiceOption(['none', 'lsa', 'gin']),
    allowed: 'none, lsa (load and store over NVLink or PCIe), gin (put over the network, device-initiated)',
    describe:
      "collbench's own allreduce and alltoall on NCCL's device API, compiled with the node's nvcc; buffers are symmetric then.",
    example: '--engine nccl --device-api lsa',
  },
  blocking: {
    ...switchOption,
    default: true,
    defaultDescription: 'on',
    allowed: 'true or false; --no-blocking switches it off',
    describe: 'Blocking communicator. Off: non-blocking and polled.',
    example: '--engine nccl --no-blocking',
  },
  split: {
    value: 'N',
    default: 0,
    defaultDescription: '0 (not split)',
    allowed: '0 (not split) or 1 (split from another, all ranks together)',
    describe: 'The communicator comes from ncclCommSplit.',
    example: '--engine nccl --split 1',
    coerce: (value) => {
      const groups = wholeNumber(0)(value);
      if (groups > 1) throw new ValueError('groups of some ranks are not measured');
      return groups;
    },
    choices: ['0', '1'],
  },
  misalign: {
    alias: ['u', 'unalign'],
    value: 'N',
    default: 0,
    allowed: 'a whole number of elements from 0 to 4096',
    describe: 'Offset of buffers from their alignment, in elements.',
    example: '--engine nccl --misalign 1',
    coerce: wholeNumber(0, 4096),
  },
  attest: {
    ...switchOption,
    default: true,
    defaultDescription: 'on',
    allowed: 'true or false; --no-attest switches it off',
    describe:
      'One more launch per series, not timed, in which NCCL logs algorithm and protocol of every size.',
    example: '--engine nccl --no-attest',
  },
  hostCheck: {
    ...switchOption,
    defaultDescription: 'off: on the GPU, if NVRTC is available',
    describe: 'Fill and compare data on the host.',
    example: '--engine nccl --host-check',
  },
});
