import { spawnSync } from 'node:child_process';
import { skipUnless } from '../harness.ts';

/** Value for a test's `skip`: false, or the reason if this machine has no MPI. */
export const withoutMpi = skipUnless(
  ['mpirun', 'mpicc'].every((name) => spawnSync(name, ['--version']).error === undefined),
  'mpirun or mpicc is missing: apt-get install openmpi-bin libopenmpi-dev (or mpich libmpich-dev)',
);
