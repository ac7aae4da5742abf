// Support for nccl-tests built with MPI: mpirun starts one process per GPU, like collbench's ranks and training jobs.
import { spawnSync } from 'node:child_process';
import { readPlainSync } from '../../results/files/plain.ts';
import { refuse } from '../../results/refusals/refusal.ts';

export interface MpirunProgram {
  /** Path of mpirun, or a name that is found through PATH. */
  file: string;
  /** True for Open MPI's mpirun. Other MPIs get only options that all MPIs have. */
  isOpenMpi: boolean;
}

/**
 * True if the program file names an MPI library: libmpi.so for Open MPI, for other MPIs names such as libmpich.so or
 * libmpi_ibm.so. Reads the whole file.
 * @throws UnreadableFile if it cannot be read or is larger than 256 MiB
 */
export const usesMpi = (file: string): boolean =>
  /libmpi\w*\.so/.test(readPlainSync(file, maxProgramBytes).toString('latin1'));

const maxProgramBytes = 256 * 2 ** 20;

/**
 * Finds the mpirun program, and starts it once with --version. Its exit code does not matter.
 * @param requested value of `--mpirun`; null = search in PATH
 * @param program program that mpirun will start; named in the refusal
 * @param hosts number of hosts on which mpirun starts the program by ssh, for the text of the refusal; 0 = only on this machine
 * @throws Refusal if mpirun is missing, cannot be started, or does not end within 30 s
 */
export function findMpirun(requested: string | null, program: string, hosts = 0): MpirunProgram {
  const file = requested ?? 'mpirun';
  const { error, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  if (error === undefined) return { file, isOpenMpi: /Open MPI|OpenRTE|PRRTE/.test(stdout) };
  const missing = 'code' in error && error.code === 'ENOENT';
  const problem = missing ? `not found${requested === null ? ' in PATH' : ''}` : error.message;
  throw refuse('no-mpirun', { asked: requested, problem, program, hosts });
}

/**
 * Pattern of environment variables that affect the measurement. They are passed to the processes with `-x NAME`, an
 * option that every Open MPI has.
 */
const exported = /^(?:LD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|NCCL_\w+)$/;

/**
 * Returns the start of an argv, up to the program: mpirun with one process per rank. Open MPI also gets options: to pass on the
 * variables of `env` that match `exported`, to run as root, and not to bind processes to cores, because collbench's ranks are not
 * bound either.
 */
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
