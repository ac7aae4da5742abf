// Refusal messages of `collbench record`.
import { cannotRunHere, invalid } from '../wording.ts';

export const recordingTexts = {
  'record-takes': invalid(({ read }: { read: boolean }) => ({
    message: read ? 'record --read takes no command' : 'record needs a command',
    details: [
      'allowed: collbench record -- COMMAND, or collbench record --read DIR',
      'example: collbench record -- torchrun --nproc-per-node 2 train.py',
    ],
    next: 'collbench record --help',
  })),
  'record-folder': cannotRunHere(({ folder }: { folder: string }) => ({
    message: `record --read: ${folder} is no folder`,
    details: ['allowed: the run of a recording, or a folder with its *.ndjson files'],
  })),
  'record-cannot-start': cannotRunHere(({ program, why }: { program: string; why: string }) => ({
    message: `${program}: the command cannot be started: ${why}`,
    details: ['check the spelling and the PATH'],
  })),
  'record-nothing': cannotRunHere(({ where, unseen }: { where: string; unseen: readonly string[] }) => ({
    message: `${where}: no call of NCCL, MPI or Gloo was recorded`,
    details: [
      ...unseen,
      'NCCL reports no calls of a job with one rank: record it with two ranks or more',
      'NCCL is seen from release 2.27 on, MPI from C, C++ and Python with the mpicc of the same MPI',
      'Gloo is seen in PyTorch whose process groups have hooks (2.15 has them), unless Python was started with -E, -I or -S',
      'Fortran, NVSHMEM and processes on other hosts are not seen',
    ],
  })),
};
