// nccl-tests built with MPI runs as one process per GPU, the way our ranks and training jobs do; mpirun starts it.
import { spawnSync } from 'node:child_process';
import { readPlainSync } from '../../results/files/plain.ts';
import { refuse } from '../../results/refusals/refusal.ts';

export interface MpirunProgram {
  /** A path, or a name that PATH finds. */
  file: string;
  /** Another takes only what all have in common. */
  isOpenMpi: boolean;
}

/** Whether it needs an MPI library: libmpi.so of Open MPI, or the names that others have (libmpich.so, libmpi_ibm.so). */
export const usesMpi = (file: string): boolean =>
  /libmpi\w*\.so/.test(readPlainSync(file, mostOfProgram).toString('latin1'));

const mostOfProgram = 256 * 2 ** 20;

/**
 * @param asked `--mpirun`; null = searched in PATH
 * @param program that needs it
 * @throws Refusal when there is none
 */
export function findMpirun(asked: string | null, program: string): MpirunProgram {
  const file = asked ?? 'mpirun';
  const { error, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  if (error === undefined) return { file, isOpenMpi: /Open MPI|OpenRTE|PRRTE/.test(stdout) };
  const missing = 'code' in error && error.code === 'ENOENT';
  const problem = missing ? `not found${asked === null ? ' in PATH' : ''}` : error.message;
  throw refuse('no-mpirun', { asked, problem, program });
}

/** Variables that decide what is measured: by name, they reach the processes with any Open MPI. */
const exported = /^(?:LD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|NCCL_\w+)$/;

/** What comes before the program: a process per rank, not bound to a core, because our ranks are not either. */
export function mpirunWords(
  { file, isOpenMpi }: MpirunProgram,
  ranks: number,
  env: NodeJS.ProcessEnv,
): string[] {
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
