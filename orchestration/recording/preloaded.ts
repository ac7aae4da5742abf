import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { nativeDir, packageRoot } from '../build.ts';

/** A library that stands before an MPI, or why there is none. */
export type Preloaded = { file: string } | { reason: string };

const patienceMs = 60_000;

const isProgram = (file: string): boolean => {
  const folders = file.includes('/') ? [''] : (process.env.PATH ?? '').split(':').map((dir) => `${dir}/`);
  return folders.some((dir) => existsSync(`${dir}${file}`));
};

/**
 * The mpicc that belongs to the launcher of a job: mpicc.mpich of mpirun.mpich, /opt/mpich/bin/mpicc of /opt/mpich/bin/mpiexec; else
 * that of PATH.
 * @param words the command of the job
 */
export function compilerOf(words: readonly string[]): string {
  const launcher = words.find((word) => /^(?:mpirun|mpiexec|orterun)(?:\.|$)/.test(path.basename(word)));
  if (launcher === undefined) return 'mpicc';
  const folder = launcher.includes('/') ? `${path.dirname(launcher)}/` : '';
  const [, kind = ''] = /^\w+(\..+)$/.exec(path.basename(launcher)) ?? [];
  return [`${folder}mpicc${kind}`, `${folder}mpicc`].find(isProgram) ?? 'mpicc';
}

/**
 * Builds the library that sees calls of MPI, with the mpicc of this machine: it fits the MPI of that compiler alone. Nothing of MPI
 * is linked, as shells and launchers load it, too.
 * @param mpicc a path, or a name that PATH finds
 * @param folder where it is put
 */
export function buildPreloaded(mpicc: string, folder: string): Preloaded {
  const source = path.join(packageRoot, 'native', 'recorder', 'mpi', 'preloaded.c');
  const object = path.join(folder, 'preloaded.o');
  const file = path.join(folder, 'libcollbench-record-mpi.so');
  const compiled = step(mpicc, ['-std=gnu11', '-O2', '-fPIC', '-c', source, '-o', object]);
  if (compiled !== null) return { reason: compiled };
  const linker = process.env.CC || 'cc';
  const linked = step(linker, ['-shared', '-o', file, object, '-ldl', '-lpthread']);
  rmSync(object, { force: true });
  return linked === null ? { file } : { reason: linked };
}

/** Null: it worked. */
function step(program: string, words: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: patienceMs });
  if (error !== undefined)
    return 'code' in error && error.code === 'ENOENT'
      ? `${program} was not found`
      : `${program}: ${error.message}`;
  const [first = ''] = stderr.split('\n').filter((line) => /error|cannot|not found/i.test(line));
  return status === 0 ? null : `${program} failed (exit code ${status}) ${first.slice(0, 200)}`.trim();
}

/** Of the build. @returns null where it has none */
export function recorderLibrary(name: 'nccl-profiler-collbench' | 'collbench-record'): string | null {
  const file = path.join(nativeDir(), `lib${name}.so`);
  return existsSync(file) ? file : null;
}

/** Python loads its sitecustomize.py before any program. */
export const pythonRecorder = (): string => path.join(packageRoot, 'native', 'recorder', 'torch');
