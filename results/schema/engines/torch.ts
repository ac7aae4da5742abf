import type { EngineRow } from './row.ts';

/** Engine that measures steps of data-parallel training in PyTorch, with one Python process per rank. */
export const torch: EngineRow = {
  name: 'torch',
  title: 'PyTorch',
  isForeign: false,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: { backend: 'backend', shareGpu: 'shareGpu', workerThreads: 'workerThreads' },
  comparable: [],
  evidence: 'counters',
  gpusWith: { backend: 'nccl' },
  logsWith: { backend: 'nccl' },
};
