import { cacheSentence, type EngineRow, graphSentence } from './row.ts';

/** Engine with collectives that collbench implements as CUDA kernels, without a communication library. */
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
