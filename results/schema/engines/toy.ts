import type { EngineRow } from './row.ts';

/** Engine whose operations only wait, as an example of the smallest engine for developers. */
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
