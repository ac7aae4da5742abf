import { cacheSentence, type EngineRow, gpuSoftware, graphSentence } from './row.ts';

/** Engine that measures the collectives of NVIDIA's libnccl between GPUs. */
export const nccl: EngineRow = {
  name: 'nccl',
  title: 'NCCL',
  isForeign: false,
  onDevice: true,
  rankNoun: 'GPU',
  library: {
    facts: [
      { title: 'NCCL', fact: 'nccl.version', version: 'nccl' },
      { title: 'library', fact: 'nccl.path', version: 'nccl.path' },
      { title: 'SHA-256', fact: 'nccl.sha256', version: 'nccl.sha256' },
      { title: 'found by', fact: 'nccl.how', version: 'nccl.how' },
      ...gpuSoftware,
      { title: 'net plugin', fact: 'net.plugin' },
    ],
    initNs: 'nccl.initNs',
    memoryBytes: 'nccl.memoryBytes',
  },
  callSentences,
  requested: {
    aggregate: 'aggregate',
    algo: 'algorithm',
    beside: 'beside',
    blocking: 'blocking',
    cache: 'cache',
    deviceApi: 'deviceApi',
    graph: 'graph',
    misalign: 'misalign',
    proto: 'protocol',
    register: 'register',
    shareGpu: 'shareGpu',
    split: 'split',
  },
  comparable: ['algorithm', 'protocol', 'deviceApi'],
  evidence: 'log',
};

const registrations: Readonly<Record<string, string>> = {
  none: 'Buffers are not registered with NCCL (nccl-tests -R 0).',
  local: 'Buffers are registered with each communicator (nccl-tests -R 1).',
  symmetric: 'Buffers are registered as symmetric windows (nccl-tests -R 2).',
};

/**
 * Returns sentences for reports on how NCCL is called with these engine settings; a setting that is absent has its default value.
 * Caches, registered buffers and CUDA graphs always have a sentence. Grouped calls, a non-blocking or split communicator, and
 * misaligned buffers have one only if they are used.
 */
function callSentences(settings: Readonly<Record<string, string>>): string[] {
  const { register = 'none', aggregate = '1', blocking, split = '0', misalign = '0' } = settings;
  return [
    cacheSentence(settings),
    registrations[register] ?? `Buffers are registered: ${register}.`,
    graphSentence(settings),
    ...(Number(aggregate) > 1 ? [`${aggregate} calls form one group.`] : []),
    ...(blocking === '0' ? ['The communicator is non-blocking and polled.'] : []),
    ...(Number(split) > 0 ? ['The communicator is split from one with all ranks.'] : []),
    ...(Number(misalign) > 0
      ? [`Buffers are ${misalign} ${misalign === '1' ? 'element' : 'elements'} off their alignment.`]
      : []),
  ];
}

/** Values of the setting `algo` of engine `nvshmem` with which NCCL itself carries out the operation. */
export const ncclAlgorithms = ['nccl', 'nccl-ring', 'nccl-symmetric'] as const;

/**
 * True if NCCL itself carries out the operations of a series of engine `nvshmem`. @param algo the setting `algo` of the series;
 * undefined = none, which gives false
 */
export const isRunByNccl = (algo: string | undefined): boolean =>
  ncclAlgorithms.some((name) => name === algo);
