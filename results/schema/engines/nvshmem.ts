import { cacheSentence, type EngineRow, gpuSoftware, graphSentence } from './row.ts';

/** Engine that measures collectives and messages of NVSHMEM, which threads of the GPU start without help of the CPU. */
export const nvshmem: EngineRow = {
  name: 'nvshmem',
  title: 'NVSHMEM',
  isForeign: false,
  onDevice: true,
  rankNoun: 'GPU',
  library: {
    facts: [
      { title: 'NVSHMEM', fact: 'nvshmem.version', version: 'nvshmem' },
      { title: 'NVSHMEM library', fact: 'nvshmem.path', version: 'nvshmem.path' },
      ...gpuSoftware,
      { title: 'nvcc', fact: 'nvcc.path', version: 'nvcc' },
    ],
    initNs: 'nvshmem.initNs',
  },
  callSentences: (settings) => [cacheSentence(settings), graphSentence(settings)],
  requested: {
    algo: 'algorithm',
    blocks: 'blocks',
    cache: 'cache',
    graph: 'graph',
    packet: 'packet',
    signal: 'signal',
    threads: 'threads',
    tune: 'tune',
  },
  comparable: ['algorithm', 'blocks', 'packet', 'signal', 'threads', 'tune'],
  evidence: 'loads',
};
