import type { EngineRow } from './row.ts';

/** The collectives of libnccl, on GPUs. */
export const nccl: EngineRow = {
  name: 'nccl',
  title: 'NCCL',
  isForeign: false,
  onDevice: true,
  rankNoun: 'GPU',
  library: 'NCCL',
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
