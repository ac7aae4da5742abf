import type { EngineRow } from './row.ts';

/** The collectives of the system's MPI, in host memory. */
export const mpi: EngineRow = {
  name: 'mpi',
  title: 'MPI',
  isForeign: false,
  onDevice: false,
  rankNoun: 'rank',
  library: null,
  requested: {},
  comparable: [],
  evidence: 'sockets',
};
