import { cpu } from './cpu/index.ts';
import { keysOf, type PlanningEngine } from './engine.ts';
import { mpiCauses } from './mpi-causes.ts';
import { mpiOptionRows } from './mpi-options.ts';
import { optionsIn, settingsOf } from './settings.ts';

/** Engine that uses the MPI library installed on the hosts. */
export const mpi: PlanningEngine = {
  ...cpu,
  name: 'mpi',
  titlePrefix: 'MPI over ',
  abilities: {
    collectives: {
      members: ['all ranks'],
      collective: [
        'allreduce',
        'allgather',
        'reducescatter',
        'broadcast',
        'reduce',
        'alltoall',
        'gather',
        'scatter',
        'sendrecv',
        'alltoallv',
      ],
      /**
       * Data types that the engine supports. MPI has no 16-bit floats. 8-bit integers are missing, because their sums overflow
       * differently in each MPI (native/engines/mpi/README.md).
       */
      dtype: ['int32', 'uint32', 'int64', 'uint64', 'float32', 'float64'],
      op: ['sum', 'prod', 'min', 'max'],
    },
    messages: { path: ['host', 'rank'] },
    computations: {},
  },
  transports: ['socket', 'shm', 'ucx'],
  options: keysOf(mpiOptionRows),
  /**
   * Minimum timeouts are long, because the first use compiles a small program and mpirun takes about a second to start. The longest
   * applies: these 60 s, 0.4 s for each rank of the launch, or the user's timeout.
   */
  patience: { probeMs: 60_000, launchMs: 60_000, launchMsPerRank: 400 },
  pace: { ...cpu.pace, launchSetupNs: 1_500_000_000, affordsLaunches: false },
  ringAlgorithm: null,
  loads: [],
  causes: mpiCauses,
  settings: (options) => settingsOf(options, ['mpi']),
  variables: () => ({}),
  optionsOf: (settings) => optionsIn('mpi', settings, ['mpi']),
};
