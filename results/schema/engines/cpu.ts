import type { EngineRow } from './row.ts';

/** Engine with collbench's own implementation of collectives, on CPUs and host memory. */
export const cpu: EngineRow = {
  name: 'cpu',
  title: 'CPU',
  isForeign: false,
  isEmbedded: true,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: { algo: 'algorithm', beside: 'beside', proto: 'protocol', channels: 'channels', skew: 'skew' },
  comparable: ['algorithm', 'protocol'],
  evidence: 'counters',
};
