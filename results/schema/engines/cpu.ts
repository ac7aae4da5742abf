import type { EngineRow } from './row.ts';

/** Collectives of collbench itself, on CPUs and in host memory. */
export const cpu: EngineRow = {
  name: 'cpu',
  title: 'CPU',
  isForeign: false,
  isEmbedded: true,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: { algo: 'algorithm', beside: 'beside', proto: 'protocol', channels: 'channels' },
  comparable: ['algorithm', 'protocol'],
  evidence: 'counters',
};
