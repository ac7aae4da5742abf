// Support for nccl-tests built with MPI: mpirun starts one process per GPU, as with our ranks and training jobs.
import { spawnSync } from 'node:child_process';
import { readPlainSync } from '../../results/files/plain.ts';
import { refuse } from '../../results/refusals/refusal.ts';

export interface MpirunProgram {
  /** A path, or a name that PATH finds. */
  file: string;
  /** False for other MPIs, which get only options that all MPIs have. */
  isOpenMpi: boolean;
}

/** True if the program needs an MPI library: libmpi.so of Open MPI, or names of other MPIs (libmpich.so, libmpi_ibm.so). */
export const usesMpi = (file: string): boolean =>
  /libmpi\w*\.so/.test(readPlainSync(file, mostOfProgram).toString('latin1'));

const mostOfProgram = 256 * 2 ** 20;

/**
 * Finds mpirun.
 * @param asked value of `--mpirun`; null = search in PATH
 * @param program program that needs it, for the message
 * @throws Refusal if there is none
 */
export function findMpirun(asked: string | null, program: string): MpirunProgram {
  const file = asked ?? 'mpirun';
  const { error, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  if (error === undefined) return { file, isOpenMpi: /Open MPI|OpenRTE|PRRTE/.test(stdout) };
  const missing = 'code' in error && error.code === 'ENOENT';
  const problem = missing ? `not found${asked === null ? ' in PATH' : ''}` : error.message;
  throw refuse('no-mpirun', { asked, problem, program });
}

/** Names of variables that affect the measurement; `-x NAME` passes them to the processes with any Open MPI. */
const exported = /^(?:LD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|NCCL_\w+)$/;

/** Command words before the program: one process per rank, not bound to a core, because our ranks are not bound either. */
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
