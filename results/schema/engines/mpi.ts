import type { EngineRow } from './row.ts';

/** Engine that measures the collectives of the MPI library installed on the system, in host memory. */
export const mpi: EngineRow = {
  name: 'mpi',
  title: 'MPI',
  isForeign: false,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: { skew: 'skew' },
  comparable: [],
  evidence: 'sockets',
};
