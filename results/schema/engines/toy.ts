import type { EngineRow } from './row.ts';

/** Engine that only waits: the example of a minimal engine. */
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
