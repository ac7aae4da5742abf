// Texts for nccl-tests, and for what running it needs.
import { cannotRunHere } from '../wording.ts';

export const crosscheckTexts = {
  'nccl-tests-missing': cannotRunHere(
    ({ dir, exists, looked }: { dir: string; exists: boolean; looked: readonly string[] }) => ({
      message: `--nccl-tests ${dir}: ${exists ? 'programs are missing there' : 'no such folder'}`,
      details: [
        ...looked.map((place) => `looked for ${place}`),
        'allowed: a checkout of nccl-tests after make, or the folder of its programs',
      ],
      ...(exists ? { next: { shell: `make -C ${dir} -j` } } : {}),
    }),
  ),
  'no-mpirun': cannotRunHere(
    ({ asked, problem, program }: { asked: string | null; problem: string; program: string }) => ({
      message: `${asked === null ? 'mpirun' : `--mpirun ${asked}`}: ${problem}`,
      details: [
        `${program} was built with MPI: mpirun starts it, one process per GPU`,
        'allowed: --mpirun with the mpirun of the same MPI, or nccl-tests built with MPI=0',
      ],
      next: { shell: `ldd ${program}` },
    }),
  ),
  'nccl-cannot-run': cannotRunHere(({ reason, remedy }: { reason: string; remedy: string }) => ({
    message: 'engine nccl cannot run here',
    details: [reason, remedy].filter((text) => text !== ''),
    next: 'collbench transports --explain',
  })),
  'osu-missing': cannotRunHere(
    ({ dir, exists, missing }: { dir: string; exists: boolean; missing: readonly string[] }) => ({
      message: `--osu ${dir}: ${exists ? `no ${missing.join(', ')} there` : 'no such folder'}`,
      details: [
        'allowed: where OSU was installed, or the folder of its collective programs',
        'build it with the mpicc of the MPI to measure, and name its --prefix',
      ],
    }),
  ),
  'mpi-cannot-run': cannotRunHere(
    ({ transport, reason, remedy }: { transport: string; reason: string; remedy: string }) => ({
      message: `engine mpi cannot run over ${transport} here`,
      details: [reason, remedy].filter((text) => text !== ''),
      next: 'collbench transports --explain',
    }),
  ),
  'crosscheck-needs-two-gpus': cannotRunHere(({ gpus }: { gpus: number }) => ({
    message: `a crosscheck needs two GPUs or more, there is ${gpus}`,
    details: ['allowed: --gpus with two numbers or more'],
  })),
  'nccl-tests-cannot-load': cannotRunHere(
    ({ library, folder, link }: { library: string; folder: string; link: string }) => ({
      message: `${library}: nccl-tests cannot load it`,
      details: [`it loads libnccl.so.2 by name, and ${folder} has no such file`],
      next: { shell: link },
    }),
  ),
};
