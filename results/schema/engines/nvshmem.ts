import type { EngineRow } from './row.ts';

/** Collectives and messages that GPUs start without the host, in NVSHMEM's symmetric memory. */
export const nvshmem: EngineRow = {
  name: 'nvshmem',
  title: 'NVSHMEM',
  isForeign: false,
  onDevice: true,
  rankNoun: 'GPU',
  library: 'NVSHMEM',
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
