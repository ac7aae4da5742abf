// nccl-tests built with MPI runs as one process per GPU, the way our ranks and training jobs do; mpirun starts it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { CommandError } from '../exit.ts';

export interface Mpirun {
  /** A path, or a name that PATH finds. */
  file: string;
  /** Another takes only what all have in common. */
  isOpenMpi: boolean;
}

/** Whether it needs an MPI library: libmpi.so of Open MPI, or the names that others have (libmpich.so, libmpi_ibm.so). */
export const usesMpi = (file: string): boolean => /libmpi\w*\.so/.test(readFileSync(file, 'latin1'));

/**
 * @param asked `--mpirun`; null = searched in PATH
 * @param program that needs it
 * @throws CommandError when there is none
 */
export function findMpirun(asked: string | null, program: string): Mpirun {
  const file = asked ?? 'mpirun';
  const { error, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  if (error === undefined) return { file, isOpenMpi: /Open MPI|OpenRTE|PRRTE/.test(stdout) };
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const problem = missing ? 'not found' : error.message;
  const where = asked === null ? 'mpirun' : `--mpirun ${asked}`;
  throw new CommandError(`${where}: ${problem}${asked === null && missing ? ' in PATH' : ''}`, [
    `  ${program} was built with MPI: mpirun starts it, one process per GPU`,
    '  allowed: --mpirun with the mpirun of the same MPI',
    `Next: ldd ${program} shows which MPI; or build nccl-tests anew with MPI=0`,
  ]);
}

/** Variables that decide what is measured: by name, they reach the processes with any Open MPI. */
const exported = /^(?:LD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|NCCL_\w+)$/;

/** What comes before the program: a process per rank, not bound to a core, because our ranks are not either. */
export function wordsBefore({ file, isOpenMpi }: Mpirun, ranks: number, env: NodeJS.ProcessEnv): string[] {
  const words = [file, '-np', String(ranks)];
  if (!isOpenMpi) return words;
  const names = Object.keys(env).filter((name) => exported.test(name));
  return [
    ...words,
    ...(process.getuid?.() === 0 ? ['--allow-run-as-root'] : []),
    ...['--bind-to', 'none'],
    ...names.flatMap((name) => ['-x', name]),
  ];
}
