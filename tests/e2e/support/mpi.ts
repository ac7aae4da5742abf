import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { skipUnless } from '../harness.ts';

/** Value for a test's `skip`: false, or the reason if this machine has no MPI. */
export const withoutMpi = skipUnless(
  ['mpirun', 'mpicc'].every((name) => spawnSync(name, ['--version']).error === undefined),
  'mpirun or mpicc is missing: apt-get install openmpi-bin libopenmpi-dev (or mpich libmpich-dev)',
);

/** mpirun of MPICH, as Debian installs it beside another MPI. */
export const mpich = '/usr/bin/mpirun.mpich';
const includesHeader = spawnSync('mpicc.mpich', ['-fsyntax-only', '-xc', '-'], {
  input: '#include <mpi.h>\n',
});
/** False, or the reason if MPICH or its header is missing. Tests of MPICH are skipped without it also where CI requires all others. */
export const missingMpich: false | string =
  existsSync(mpich) && includesHeader.status === 0
    ? false
    : `${mpich} or its mpi.h is missing: apt-get install mpich libmpich-dev`;
