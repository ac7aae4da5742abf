import type { EngineRow } from './row.ts';

/** Waits and nothing else: shows that an engine is no more than its own folders. */
export const toy: EngineRow = {
  name: 'toy',
  title: 'toy',
  isForeign: false,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: {},
  comparable: [],
  evidence: 'counters',
};
