import { cacheSentence, type EngineRow, graphSentence } from './row.ts';

/** CUDA kernels of collbench that communicate without a library. */
export const cuda: EngineRow = {
  name: 'cuda',
  title: 'CUDA kernels',
  isForeign: false,
  onDevice: true,
  rankNoun: 'GPU',
  library: null,
  requested: { beside: 'beside', shareGpu: 'shareGpu' },
  comparable: [],
  callSentences: (settings) => [cacheSentence(settings), graphSentence(settings)],
  evidence: 'counters',
};
