import type { OptionRowsFor } from '../../options/flag.ts';
import { text } from '../../options/values.ts';
import type { MpiOptions } from './options.ts';

export const mpiFlags: OptionRowsFor<MpiOptions> = {
  mpi: {
    name: 'mpi',
    group: 'Where it runs',
    value: 'PATH',
    fallback: null,
    shown: 'mpirun in PATH',
    allowed: 'an mpirun, or the folder of an MPI that has bin/mpirun; its mpicc must be there, too',
    help: 'Engine mpi: which MPI to measure (Open MPI, MPICH or Intel MPI).',
    example: '--engine mpi --mpi /usr/bin/mpirun.mpich',
    parse: text,
  },
};
