import type { EngineRow } from './row.ts';

/** Kernels of collbench's own that communicate by themselves. */
export const cuda: EngineRow = {
  name: 'cuda',
  title: 'CUDA kernels',
  isForeign: false,
  onDevice: true,
  rankNoun: 'GPU',
  library: null,
  requested: { beside: 'beside', shareGpu: 'shareGpu' },
  comparable: [],
  evidence: 'counters',
};
