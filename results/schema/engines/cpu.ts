import type { EngineRow } from './row.ts';

/** Embedded, in host memory. */
export const cpu: EngineRow = {
  name: 'cpu',
  title: 'CPU',
  isForeign: false,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: { algo: 'algorithm', beside: 'beside', proto: 'protocol', channels: 'channels' },
  comparable: ['algorithm', 'protocol'],
  evidence: 'counters',
};
