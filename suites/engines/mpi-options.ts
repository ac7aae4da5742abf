import { inGroup } from '../options/option.ts';
import { text } from '../options/values.ts';

export const mpiOptionRows = inGroup('Where it runs', {
  mpi: {
    value: 'PATH',
    default: null,
    defaultDescription: 'mpirun in PATH',
    allowed: 'an mpirun, or the folder of an MPI that has bin/mpirun; its mpicc must be there, too',
    describe: 'Engine mpi: which MPI to measure (Open MPI, MPICH or Intel MPI).',
    example: '--engine mpi --mpi /usr/bin/mpirun.mpich',
    coerce: text,
  },
});
