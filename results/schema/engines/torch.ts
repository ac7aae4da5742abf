import type { EngineRow } from './row.ts';

/** Data-parallel training by PyTorch, one Python process for each rank. */
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
